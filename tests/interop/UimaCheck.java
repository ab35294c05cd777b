// Loads XMI with Apache UIMA, tells as JSON lines what it found, and writes the document again.
// Standard input: one task a line, tab-separated: xmi, type system, where to write the document again (or nothing), and
// `lenient` where it shall be loaded so.
// Standard output: one JSON object a line, in the order of the tasks: {"error": ...} or {"views": [...]}.

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.apache.uima.UIMAFramework;
import org.apache.uima.cas.ArrayFS;
import org.apache.uima.cas.BooleanArrayFS;
import org.apache.uima.cas.ByteArrayFS;
import org.apache.uima.cas.CAS;
import org.apache.uima.cas.CommonArrayFS;
import org.apache.uima.cas.DoubleArrayFS;
import org.apache.uima.cas.FSIndexRepository;
import org.apache.uima.cas.FeatureStructure;
import org.apache.uima.cas.Feature;
import org.apache.uima.cas.FloatArrayFS;
import org.apache.uima.cas.IntArrayFS;
import org.apache.uima.cas.LongArrayFS;
import org.apache.uima.cas.ShortArrayFS;
import org.apache.uima.cas.SofaFS;
import org.apache.uima.cas.StringArrayFS;
import org.apache.uima.cas.Type;
import org.apache.uima.cas.TypeSystem;
import org.apache.uima.cas.impl.FeatureStructureImpl;
import org.apache.uima.cas.impl.XmiCasDeserializer;
import org.apache.uima.cas.impl.XmiCasSerializer;
import org.apache.uima.cas.impl.XmiSerializationSharedData;
import org.apache.uima.cas.text.AnnotationFS;
import org.apache.uima.resource.metadata.TypeSystemDescription;
import org.apache.uima.util.CasCreationUtils;
import org.apache.uima.util.XMLInputSource;
import org.apache.uima.util.XMLSerializer;

public final class UimaCheck {
  private static final Map<String, TypeSystemDescription> TYPE_SYSTEMS = new HashMap<>();

  public static void main(String[] arguments) throws Exception {
    PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), false);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] task = line.split("\t", -1);
      StringBuilder json = new StringBuilder();
      try {
        check(task[0], task[1], task.length > 2 ? task[2] : "", task.length > 3 && task[3].equals("lenient"), json);
      } catch (Throwable fault) {
        json.setLength(0);
        StringBuilder message = new StringBuilder();
        for (Throwable t = fault; t != null; t = t.getCause()) {
          message.append(message.length() == 0 ? "" : ": ").append(t.getClass().getSimpleName()).append(' ').append(t.getMessage());
        }
        json.append("{\"error\":");
        string(json, message.toString());
        json.append('}');
      }
      out.println(json);
      out.flush();
    }
  }

  private static void check(String xmi, String types, String again, boolean lenient, StringBuilder json) throws Exception {
    TypeSystemDescription description = TYPE_SYSTEMS.get(types);
    if (description == null) {
      description = UIMAFramework.getXMLParser().parseTypeSystemDescription(new XMLInputSource(types));
      description.resolveImports();
      TYPE_SYSTEMS.put(types, description);
    }
    CAS cas = CasCreationUtils.createCas(description, null, null);
    XmiSerializationSharedData shared = new XmiSerializationSharedData();
    try (InputStream stream = new FileInputStream(xmi)) {
      XmiCasDeserializer.deserialize(stream, cas, lenient, shared);
    }
    new Dump(json, shared).document(cas);
    if (!again.isEmpty()) {
      try (OutputStream stream = new BufferedOutputStream(new FileOutputStream(again))) {
        XmiCasSerializer serializer = new XmiCasSerializer(cas.getTypeSystem());
        XMLSerializer xml = new XMLSerializer(stream, false);
        serializer.serialize(cas, xml.getContentHandler(), null, shared);
      }
    }
    cas.release();
  }

  /** Writes all a CAS holds: views with their Sofas, indexed feature structures in index order, and what they refer to. */
  private static final class Dump {
    private final StringBuilder json;
    private final Map<FeatureStructure, Integer> numbers = new HashMap<>();
    private final List<FeatureStructure> all = new ArrayList<>();

    private final Map<Integer, Integer> ids;

    Dump(StringBuilder json, XmiSerializationSharedData shared) throws ReflectiveOperationException {
      this.json = json;
      this.ids = ids(shared);
    }

    void document(CAS base) {
      json.append("{\"views\":[");
      String comma = "";
      for (Iterator<CAS> views = base.getViewIterator(); views.hasNext();) {
        json.append(comma);
        comma = ",";
        view(views.next());
      }
      json.append("],\"fs\":[");
      for (int i = 0; i < all.size(); i++) {
        json.append(i == 0 ? "" : ",");
        featureStructure(all.get(i));
      }
      json.append("]}");
    }

    /** The xmi:ids that feature structures were read with, by address; inline arrays and lists have none. */
    private static Map<Integer, Integer> ids(XmiSerializationSharedData shared) throws ReflectiveOperationException {
      Method id = XmiSerializationSharedData.class.getDeclaredMethod("getXmiIdAsInt", int.class);
      id.setAccessible(true);
      Map<Integer, Integer> found = new HashMap<>();
      for (int address : shared.getAllFsAddressesInIdMap()) {
        found.put(address, (Integer) id.invoke(shared, address));
      }
      return found;
    }

    private int number(FeatureStructure fs) {
      Integer known = numbers.get(fs);
      if (known == null) {
        known = all.size();
        numbers.put(fs, known);
        all.add(fs);
      }
      return known;
    }

    private void view(CAS view) {
      json.append("{\"name\":");
      string(json, view.getViewName());
      SofaFS sofa = view.getSofa();
      json.append(",\"sofa\":").append(sofa != null);
      json.append(",\"text\":");
      string(json, sofa == null ? null : sofa.getLocalStringData());
      json.append(",\"mime\":");
      string(json, sofa == null ? null : sofa.getSofaMime());
      json.append(",\"uri\":");
      string(json, sofa == null ? null : sofa.getSofaURI());
      json.append(",\"array\":");
      FeatureStructure array = sofa == null ? null : sofa.getLocalFSData();
      json.append(array == null ? "null" : Integer.toString(number(array)));
      json.append(",\"members\":[");
      String comma = "";
      FSIndexRepository repository = view.getIndexRepository();
      for (Iterator<FeatureStructure> i = repository.getAllIndexedFS(view.getTypeSystem().getTopType()); i.hasNext();) {
        FeatureStructure fs = i.next();
        if (fs instanceof SofaFS) {
          continue;
        }
        json.append(comma).append(number(fs));
        comma = ",";
      }
      json.append("]}");
    }

    private void featureStructure(FeatureStructure fs) {
      json.append("{\"id\":");
      Integer id = ids.get(((FeatureStructureImpl) fs).getAddress());
      string(json, id == null ? null : id.toString());
      json.append(",\"type\":");
      string(json, fs.getType().getName());
      if (fs instanceof CommonArrayFS) {
        json.append(",\"elements\":");
        elements((CommonArrayFS) fs);
      } else {
        if (fs instanceof AnnotationFS) {
          covered((AnnotationFS) fs);
        }
        json.append(",\"features\":{");
        String comma = "";
        for (Feature feature : fs.getType().getFeatures()) {
          json.append(comma);
          comma = ",";
          string(json, feature.getShortName());
          json.append(':');
          value(fs, feature);
        }
        json.append('}');
      }
      json.append('}');
    }

    private void covered(AnnotationFS annotation) {
      String text = null;
      try {
        text = annotation.getCoveredText();
      } catch (RuntimeException outside) {
        // offsets outside the text: told as no covered text
      }
      json.append(",\"covered\":");
      string(json, text);
    }

    private void value(FeatureStructure fs, Feature feature) {
      TypeSystem types = fs.getCAS().getTypeSystem();
      Type range = feature.getRange();
      if (!range.isPrimitive()) {
        reference(fs.getFeatureValue(feature));
      } else if (types.subsumes(types.getType(CAS.TYPE_NAME_STRING), range)) {
        string(json, fs.getStringValue(feature));
      } else {
        switch (range.getName()) {
          case CAS.TYPE_NAME_BOOLEAN:
            json.append(fs.getBooleanValue(feature));
            break;
          case CAS.TYPE_NAME_FLOAT:
            real(fs.getFloatValue(feature));
            break;
          case CAS.TYPE_NAME_DOUBLE:
            real(fs.getDoubleValue(feature));
            break;
          case CAS.TYPE_NAME_BYTE:
            json.append(fs.getByteValue(feature));
            break;
          case CAS.TYPE_NAME_SHORT:
            json.append(fs.getShortValue(feature));
            break;
          case CAS.TYPE_NAME_LONG:
            json.append(fs.getLongValue(feature));
            break;
          default:
            json.append(fs.getIntValue(feature));
        }
      }
    }

    private void reference(FeatureStructure target) {
      if (target instanceof SofaFS) {
        json.append("{\"sofa\":");
        string(json, ((SofaFS) target).getSofaID());
        json.append('}');
      } else {
        json.append(target == null ? "null" : "{\"ref\":" + number(target) + "}");
      }
    }

    private void elements(CommonArrayFS array) {
      json.append('[');
      for (int i = 0; i < array.size(); i++) {
        json.append(i == 0 ? "" : ",");
        if (array instanceof StringArrayFS) {
          string(json, ((StringArrayFS) array).get(i));
        } else if (array instanceof ArrayFS) {
          reference(((ArrayFS) array).get(i));
        } else if (array instanceof IntArrayFS) {
          json.append(((IntArrayFS) array).get(i));
        } else if (array instanceof FloatArrayFS) {
          real(((FloatArrayFS) array).get(i));
        } else if (array instanceof DoubleArrayFS) {
          real(((DoubleArrayFS) array).get(i));
        } else if (array instanceof LongArrayFS) {
          json.append(((LongArrayFS) array).get(i));
        } else if (array instanceof ShortArrayFS) {
          json.append(((ShortArrayFS) array).get(i));
        } else if (array instanceof ByteArrayFS) {
          json.append(((ByteArrayFS) array).get(i));
        } else if (array instanceof BooleanArrayFS) {
          json.append(((BooleanArrayFS) array).get(i));
        }
      }
      json.append(']');
    }

    /** A float as the number it is in 64 bits; the three that JSON lacks as strings. */
    private void real(double number) {
      if (Double.isNaN(number) || Double.isInfinite(number)) {
        string(json, Double.toString(number));
      } else {
        json.append(number);
      }
    }
  }

  private static void string(StringBuilder json, String text) {
    if (text == null) {
      json.append("null");
      return;
    }
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
