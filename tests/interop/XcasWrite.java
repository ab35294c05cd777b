// Loads XMI strictly with Apache UIMA and writes the document as XCAS, and as XMI again.
// Standard input: one task a line, tab-separated: xmi, type system, where to write XCAS, where to write XMI.
// Standard output: one line a task, empty or what went wrong.

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import org.apache.uima.UIMAFramework;
import org.apache.uima.cas.CAS;
import org.apache.uima.cas.impl.XCASSerializer;
import org.apache.uima.cas.impl.XmiCasDeserializer;
import org.apache.uima.cas.impl.XmiCasSerializer;
import org.apache.uima.resource.metadata.TypeSystemDescription;
import org.apache.uima.util.CasCreationUtils;
import org.apache.uima.util.XMLInputSource;

public final class XcasWrite {
  public static void main(String[] arguments) throws Exception {
    Map<String, TypeSystemDescription> typeSystems = new HashMap<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] task = line.split("\t", -1);
      try {
        TypeSystemDescription types = typeSystems.get(task[1]);
        if (types == null) {
          types = UIMAFramework.getXMLParser().parseTypeSystemDescription(new XMLInputSource(task[1]));
          typeSystems.put(task[1], types);
        }
        CAS cas = CasCreationUtils.createCas(types, null, null);
        try (InputStream stream = new FileInputStream(task[0])) {
          XmiCasDeserializer.deserialize(stream, cas);
        }
        try (OutputStream stream = new BufferedOutputStream(new FileOutputStream(task[2]))) {
          XCASSerializer.serialize(cas, stream);
        }
        try (OutputStream stream = new BufferedOutputStream(new FileOutputStream(task[3]))) {
          XmiCasSerializer.serialize(cas, stream);
        }
        cas.release();
        out.println();
      } catch (Exception fault) {
        out.println(fault.getClass().getSimpleName());
      }
    }
  }
}
