"""Short and pet forms of English given names: whoever is William in the record may be Bill in the text."""

from __future__ import annotations

from collections.abc import Mapping

# name: its short forms. Written for caspipe from common usage; forms that are themselves full names stay where usual.
_TABLE = """
abigail: abby gail abbie
abraham: abe
adelaide: addie
agnes: aggie
albert: al bert
alexander: alex al sandy alec xander lex
alexandra: alex sandra lexi sandy
alfred: al alf fred alfie
alison: ali allie
allison: ali allie
amanda: mandy
andrea: andi
andrew: andy drew
angela: angie
anita: nita
ann: annie nan
anna: annie ann
anthony: tony ant
antonio: tony
arthur: art artie
augustus: gus
barbara: barb babs barbie
bartholomew: bart
beatrice: bea trixie
belinda: linda
benjamin: ben benny benji
bernard: bernie
beverly: bev
bradley: brad
bridget: bridie
calvin: cal
cameron: cam
carolyn: carol carrie lyn
caroline: carol carrie
cassandra: cass cassie sandra
catherine: cathy kate katie cat cath
cecilia: cissy celia
charles: charlie chuck chas chaz
charlotte: charlie lottie
chester: chet
christian: chris
christina: chris chrissy tina christy
christine: chris chrissy tina christy
christopher: chris kit topher
clarence: clare
clifford: cliff
constance: connie
cynthia: cindy
daniel: dan danny
danielle: dani
david: dave davey
deborah: deb debbie debby
debra: deb debbie
dennis: denny
diana: di
donald: don donny donnie
dorothy: dot dottie dolly
douglas: doug
edith: edie
edmund: ed eddie ned
edward: ed eddie ted ned teddy
edwin: ed eddie
eleanor: ellie nell nora
elizabeth: liz lizzie beth betty betsy eliza lisa libby bess liza
emily: em emmy
emma: em
ernest: ernie
eugene: gene
evelyn: evie
florence: flo
frances: fran frannie
francis: frank fran
francisco: paco pancho
franklin: frank
frederick: fred freddie rick
gabriel: gabe
gabrielle: gabby
geoffrey: geoff
george: georgie
gerald: gerry jerry
geraldine: gerry
gilbert: gil bert
gloria: glo
gordon: gordie
gregory: greg
gwendolyn: gwen
harold: hal harry
harriet: hattie
harry: hal
helen: nell
henry: hank harry hal
herbert: herb bert
howard: howie
isabel: izzy bella
isabella: izzy bella
jack: jackie
jacob: jake
jacqueline: jackie
james: jim jimmy jamie
jane: janie
janet: jan
janice: jan
jason: jay
jean: jeannie
jeffrey: jeff
jennifer: jen jenny
jeremiah: jerry
jeremy: jerry jem
jerome: jerry
jessica: jess jessie
jesus: chuy
joan: joanie
joanna: jo
joel: joe
john: johnny jack jon
jonathan: jon jonny
jose: pepe
joseph: joe joey jo
josephine: jo josie
joshua: josh
joyce: joy
judith: judy jude
julia: julie
julian: jules
katherine: kathy kate katie kat kay kath kitty
kathleen: kathy kate katie kath
kathryn: kathy kate katie kat
kenneth: ken kenny
kimberly: kim kimmy
kristina: kris tina
kristine: kris
lawrence: larry lars
leonard: len lenny leo
leroy: roy
leslie: les
lester: les
lillian: lily lil
linda: lin lindy
louis: lou louie
louise: lou
lucille: lucy
madeline: maddie
marcus: marc
margaret: maggie meg peggy marge margie greta rita peg
maria: mia
marilyn: mary
marjorie: marge margie
martha: marty mattie
martin: marty
marvin: marv
mary: molly polly mae
matthew: matt matty
maureen: mo
maurice: moe
maxwell: max
megan: meg
melanie: mel
melissa: mel missy lissa
melvin: mel
michael: mike mikey mick mickey
michelle: shelly mitch
mildred: millie
mitchell: mitch
miranda: mandy
morris: moe
nancy: nan
natalie: nat
natasha: tasha
nathan: nate nat
nathaniel: nate nat
nicholas: nick nicky
nicole: nikki nicki
norman: norm
oliver: ollie
olivia: liv livvy
oscar: ozzie
pamela: pam
patricia: pat patty tricia trish patsy
patrick: pat paddy
paul: paulie
peter: pete
philip: phil pip
phillip: phil
phyllis: phyl
priscilla: cilla
rachel: rach
ralph: ralphie
randall: randy
randolph: randy
raymond: ray
rebecca: becky becca
reginald: reg reggie
richard: rick dick rich richie ricky
robert: bob rob bobby robbie bert
roberta: bobbie
roderick: rod
rodney: rod
roger: rodge
roland: rollie
ronald: ron ronnie
rosemary: rose rosie
rudolph: rudy
russell: russ rusty
ruth: ruthie
salvatore: sal
samantha: sam sammy
samuel: sam sammy
sandra: sandy
sarah: sally sadie
sebastian: seb
sharon: shari
sidney: sid
solomon: sol
sophia: sophie
stanley: stan
stephanie: steph
stephen: steve stevie
steven: steve stevie
stuart: stu
susan: sue susie suzy
suzanne: sue suzy
sylvia: syl
tabitha: tabby
terence: terry
teresa: terry tess terri
thaddeus: tad
theodore: ted teddy theo
theresa: terry tess terri
thomas: tom tommy
timothy: tim timmy
valerie: val
vanessa: nessa
veronica: ronnie vera
victor: vic
victoria: vicky tori vickie
vincent: vince vinny
vincenzo: enzo
virginia: ginny ginger
vivian: viv
wallace: wally
walter: walt wally
wilfred: will fred
william: bill will billy willie liam
zachary: zach zack
"""


def _load() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in _TABLE.strip().splitlines():
        name, _, short = line.partition(": ")
        for form in short.split():
            table.setdefault(name, {})[form] = None
            table.setdefault(form, {})[name] = None
    return {name: tuple(forms) for name, forms in table.items()}


NICKNAMES: Mapping[str, tuple[str, ...]] = _load()
"""Folded given name -> other forms of it, both ways: `william` -> `bill`, ...; `bill` -> `william`."""
