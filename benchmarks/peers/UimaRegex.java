// Runs the regular expression annotator of Apache UIMA's add-ons over texts and masks its findings, as one of the peers. It has
// the same arguments and output as benchmarks/peers/harness.py. Concept file and types come from the folder of the class path.
//   java -cp ... UimaRegex CONCEPTS FOLDER [WHAT ...]

import java.io.BufferedReader;
import java.io.File;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import org.apache.uima.UIMAFramework;
import org.apache.uima.analysis_engine.AnalysisEngine;
import org.apache.uima.analysis_engine.AnalysisEngineDescription;
import org.apache.uima.analysis_engine.metadata.AnalysisEngineMetaData;
import org.apache.uima.cas.CAS;
import org.apache.uima.cas.Feature;
import org.apache.uima.cas.Type;
import org.apache.uima.cas.text.AnnotationFS;
import org.apache.uima.resource.ResourceManager;
import org.apache.uima.resource.ResourceSpecifier;
import org.apache.uima.resource.metadata.ConfigurationParameter;
import org.apache.uima.resource.metadata.ConfigurationParameterSettings;
import org.apache.uima.resource.metadata.TypeSystemDescription;
import org.apache.uima.util.Level;

public final class UimaRegex {
  private static AnalysisEngine engine;
  private static CAS cas;
  private static Type type;
  private static Feature kind;

  public static void main(String[] arguments) throws Exception {
    PrintStream told = System.out;
    System.setOut(System.err);
    File concepts = new File(arguments[0]);
    Path folder = Paths.get(arguments[1]);
    open(concepts);
    List<String> warm = read(folder.resolve("warm.jsonl"));
    one(warm.get(0), null);
    told.println("first");
    told.flush();
    double first = cpu() / 1e9;
    double resident = memory("VmRSS");
    for (String text : warm) {
      one(text, null);
    }
    StringBuilder passes = new StringBuilder();
    StringBuilder found = new StringBuilder();
    StringBuilder refused = new StringBuilder();
    for (int i = 2; i < arguments.length; i++) {
      List<String> texts = read(folder.resolve(arguments[i].split("-")[0] + ".jsonl"));
      List<List<Object[]>> spans = new ArrayList<>();
      System.gc();
      long wall = System.nanoTime();
      long used = cpu();
      for (String text : texts) {
        List<Object[]> some = new ArrayList<>();
        one(text, some);
        spans.add(some);
      }
      double seconds = (System.nanoTime() - wall) / 1e9;
      String comma = i == 2 ? "" : ",";
      passes.append(comma).append('"').append(arguments[i]).append("\":{\"wall\":").append(seconds);
      passes.append(",\"cpu\":").append((cpu() - used) / 1e9).append('}');
      refused.append(comma).append('"').append(arguments[i]).append("\":0");
      found.append(comma).append('"').append(arguments[i]).append("\":[");
      for (int j = 0; j < texts.size(); j++) {
        found.append(j == 0 ? "[" : ",[");
        tell(found, texts.get(j), spans.get(j));
        found.append(']');
      }
      found.append(']');
    }
    told.println("{\"passes\":{" + passes + "},\"found\":{" + found + "},\"refused\":{" + refused + "},\"first_cpu\":"
        + first + ",\"resident_mb\":" + resident + ",\"peak_mb\":" + memory("VmHWM") + "}");
    told.flush();
  }

  private static void open(File concepts) throws Exception {
    UIMAFramework.getLogger().setLevel(Level.OFF);
    AnalysisEngineDescription description = UIMAFramework.getResourceSpecifierFactory().createAnalysisEngineDescription();
    description.setPrimitive(true);
    description.setFrameworkImplementation("org.apache.uima.java");
    description.setAnnotatorImplementationName("org.apache.uima.annotator.regex.impl.RegExAnnotator");
    AnalysisEngineMetaData meta = description.getAnalysisEngineMetaData();
    meta.setName("regex");
    TypeSystemDescription types = UIMAFramework.getResourceSpecifierFactory().createTypeSystemDescription();
    types.addType("peers.Found", "", CAS.TYPE_NAME_ANNOTATION).addFeature("kind", "", CAS.TYPE_NAME_STRING);
    meta.setTypeSystem(types);
    ConfigurationParameter files = UIMAFramework.getResourceSpecifierFactory().createConfigurationParameter();
    files.setName("ConceptFiles");
    files.setType(ConfigurationParameter.TYPE_STRING);
    files.setMultiValued(true);
    files.setMandatory(true);
    meta.getConfigurationParameterDeclarations().addConfigurationParameter(files);
    ConfigurationParameterSettings settings = meta.getConfigurationParameterSettings();
    settings.setParameterValue("ConceptFiles", new String[] {concepts.getName()});
    ResourceManager resources = UIMAFramework.newDefaultResourceManager();
    resources.setDataPath(concepts.getParent());
    engine = UIMAFramework.produceAnalysisEngine((ResourceSpecifier) description, resources, null);
    cas = engine.newCAS();
    type = cas.getTypeSystem().getType("peers.Found");
    kind = type.getFeatureByBaseName("kind");
  }

  /** Returns the masked text, and adds the findings to `spans`: begin, end (UTF-16 code units), kind. */
  private static String one(String text, List<Object[]> spans) throws Exception {
    cas.reset();
    cas.setDocumentText(text);
    engine.process(cas);
    StringBuilder masked = new StringBuilder(text.length());
    int at = 0;
    for (AnnotationFS found : cas.getAnnotationIndex(type)) {
      String label = found.getStringValue(kind);
      if (spans != null) {
        spans.add(new Object[] {found.getBegin(), found.getEnd(), label});
      }
      if (found.getBegin() >= at) {
        masked.append(text, at, found.getBegin()).append('[').append(label).append(']');
        at = found.getEnd();
      }
    }
    return masked.append(text, at, text.length()).toString();
  }

  /** Converts offsets to code points. */
  private static void tell(StringBuilder json, String text, List<Object[]> spans) {
    String comma = "";
    for (Object[] span : spans) {
      json.append(comma).append('[').append(text.codePointCount(0, (Integer) span[0])).append(',');
      json.append(text.codePointCount(0, (Integer) span[1])).append(",\"").append(span[2]).append("\"]");
      comma = ",";
    }
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static double memory(String what) throws Exception {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
      if (line.startsWith(what)) {
        return Integer.parseInt(line.replaceAll("[^0-9]", "")) / 1024.0;
      }
    }
    return 0;
  }

  private static List<String> read(Path file) throws Exception {
    List<String> texts = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        texts.add(string(line));
      }
    }
    return texts;
  }

  /** Returns the text of a JSON string. */
  private static String string(String json) {
    StringBuilder text = new StringBuilder(json.length());
    for (int i = 1; i < json.length() - 1; i++) {
      char c = json.charAt(i);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      c = json.charAt(++i);
      if (c == 'u') {
        text.append((char) Integer.parseInt(json.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        int escaped = "bfnrt".indexOf(c);
        text.append(escaped < 0 ? c : "\b\f\n\r\t".charAt(escaped));
      }
    }
    return text.toString();
  }
}
