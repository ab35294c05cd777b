// What Apache UIMA does with operations on an index. Arguments: a type system, the types in order of priority.
// Standard input: one operation a line, tab-separated: add LABEL TYPE BEGIN END, remove LABEL, show TYPE.
// Standard output: a line of labels for each `show`, then one line for each rule: its name, a tab, what happened.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import org.apache.uima.UIMAFramework;
import org.apache.uima.cas.CAS;
import org.apache.uima.cas.FSIterator;
import org.apache.uima.cas.FSIndexRepository;
import org.apache.uima.cas.Feature;
import org.apache.uima.cas.FeatureStructure;
import org.apache.uima.cas.Type;
import org.apache.uima.cas.TypeSystem;
import org.apache.uima.cas.admin.TypeSystemMgr;
import org.apache.uima.cas.text.AnnotationFS;
import org.apache.uima.resource.metadata.TypePriorities;
import org.apache.uima.resource.metadata.TypeSystemDescription;
import org.apache.uima.util.CasCreationUtils;
import org.apache.uima.util.XMLInputSource;

public final class IndexRules {
  private static final String TEXT = "0123456789abcdefghij";

  private interface Action {
    Object run() throws Exception;
  }

  private static TypeSystemDescription description;
  private static TypePriorities priorities;

  public static void main(String[] arguments) throws Exception {
    description = UIMAFramework.getXMLParser().parseTypeSystemDescription(new XMLInputSource(arguments[0]));
    priorities = UIMAFramework.getResourceSpecifierFactory().createTypePriorities();
    String[] names = new String[arguments.length - 1];
    System.arraycopy(arguments, 1, names, 0, names.length);
    priorities.addPriorityList().setTypes(names);
    operations();
    rules();
  }

  private static CAS document() throws Exception {
    CAS cas = CasCreationUtils.createCas(description, priorities, null);
    cas.setDocumentText(TEXT);
    return cas;
  }

  private static void operations() throws Exception {
    CAS cas = document();
    Feature label = cas.getTypeSystem().getFeatureByFullName("rules.A:label");
    Map<String, AnnotationFS> made = new HashMap<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] part = line.split("\t");
      if (part[0].equals("add")) {
        AnnotationFS fs = made.get(part[1]);
        if (fs == null) {
          Type type = cas.getTypeSystem().getType(part[2]);
          fs = cas.createAnnotation(type, Integer.parseInt(part[3]), Integer.parseInt(part[4]));
          fs.setStringValue(label, part[1]);
          made.put(part[1], fs);
        }
        cas.addFsToIndexes(fs);
      } else if (part[0].equals("remove")) {
        cas.removeFsFromIndexes(made.get(part[1]));
      } else {
        StringBuilder labels = new StringBuilder();
        for (AnnotationFS fs : cas.getAnnotationIndex(cas.getTypeSystem().getType(part[1]))) {
          labels.append(labels.length() == 0 ? "" : " ").append(fs.getStringValue(label));
        }
        System.out.println(labels);
      }
    }
  }

  private static void rules() throws Exception {
    tell("an annotation added twice", () -> {
      CAS cas = document();
      FeatureStructure fs = add(cas, 2, 4);
      cas.addFsToIndexes(fs);
      return size(cas);
    });
    tell("a record added twice", () -> {
      CAS cas = document();
      Type type = cas.getTypeSystem().getType("rules.Record");
      FeatureStructure fs = cas.createFS(type);
      cas.addFsToIndexes(fs);
      cas.addFsToIndexes(fs);
      return records(cas, type);
    });
    tell("two annotations with equal values", () -> {
      CAS cas = document();
      add(cas, 2, 4);
      add(cas, 2, 4);
      return size(cas);
    });
    tell("a text set twice", () -> {
      document().setDocumentText("other");
      return "accepted";
    });
    tell("a view made twice", () -> {
      CAS cas = document();
      cas.createView("gold");
      cas.createView("gold");
      return "accepted";
    });
    tell("an annotation added to another view", () -> {
      CAS cas = document();
      CAS gold = cas.createView("gold");
      gold.setDocumentText(TEXT);
      gold.addFsToIndexes(add(cas, 2, 4));
      return "accepted";
    });
    tell("a record added to two views", () -> {
      CAS cas = document();
      CAS gold = cas.createView("gold");
      Type type = cas.getTypeSystem().getType("rules.Record");
      FeatureStructure fs = cas.createFS(type);
      cas.addFsToIndexes(fs);
      gold.addFsToIndexes(fs);
      cas.removeFsFromIndexes(fs);
      return records(cas, type) + " " + records(gold, type);
    });
    tell("an annotation removed twice", () -> {
      CAS cas = document();
      FeatureStructure fs = add(cas, 2, 4);
      cas.removeFsFromIndexes(fs);
      cas.removeFsFromIndexes(fs);
      return size(cas);
    });
    tell("a reference to what was removed", () -> {
      CAS cas = document();
      FeatureStructure fs = add(cas, 2, 4);
      FeatureStructure holder = add(cas, 0, 4);
      Feature to = cas.getTypeSystem().getFeatureByFullName("rules.A:to");
      holder.setFeatureValue(to, fs);
      cas.removeFsFromIndexes(fs);
      return fs.equals(holder.getFeatureValue(to)) ? "stays" : "is gone";
    });
    tell("begin changed while indexed", () -> {
      CAS cas = document();
      AnnotationFS fs = add(cas, 2, 4);
      AnnotationFS other = add(cas, 3, 4);
      fs.setIntValue(fs.getType().getFeatureByBaseName("begin"), 4);
      FSIterator<AnnotationFS> all = cas.getAnnotationIndex(fs.getType()).iterator();
      return all.next().equals(other) && all.next().equals(fs) ? "the index follows" : "the index is wrong";
    });
    tell("a type added to a document's types", () -> {
      TypeSystem types = document().getTypeSystem();
      ((TypeSystemMgr) types).addType("rules.New", types.getType("uima.tcas.Annotation"));
      return "accepted";
    });
    tell("a feature added to a document's types", () -> {
      TypeSystem types = document().getTypeSystem();
      ((TypeSystemMgr) types).addFeature("more", types.getType("rules.A"), types.getType("uima.cas.String"));
      return "accepted";
    });
    tell("offsets outside the text", () -> {
      CAS cas = document();
      add(cas, 2, 99);
      return "accepted";
    });
  }

  private static AnnotationFS add(CAS cas, int begin, int end) {
    AnnotationFS fs = cas.createAnnotation(cas.getTypeSystem().getType("rules.A"), begin, end);
    cas.addFsToIndexes(fs);
    return fs;
  }

  private static int size(CAS cas) {
    return cas.getAnnotationIndex(cas.getTypeSystem().getType("rules.A")).size();
  }

  private static int records(CAS cas, Type type) {
    FSIndexRepository repository = cas.getIndexRepository();
    int n = 0;
    for (FSIterator<FeatureStructure> i = repository.getAllIndexedFS(type); i.hasNext(); i.next()) {
      n++;
    }
    return n;
  }

  private static void tell(String rule, Action action) {
    String found;
    try {
      found = String.valueOf(action.run());
    } catch (Exception fault) {
      found = fault.getClass().getSimpleName();
    }
    System.out.println(rule + "\t" + found);
  }
}
