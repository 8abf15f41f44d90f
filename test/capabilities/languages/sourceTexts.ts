import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../../src", import.meta.url));
const value = String.raw`\$\{(?:[^{}${"`"}]|${"`"}[^${"`"}]*${"`"}|\{[^{}]*\})*\}`;
const literal = String.raw`("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\$]|\\.|\$(?!\{)|${value})*${"`"})`;
/** Where the code gives a problem or an item its detail. */
const details = new RegExp(
  String.raw`(?:new ProblemError\(\s*"[A-Z_]+",\s*|\bdetail(?::|\s=)\s*|report\(\s*"[A-Z_]+",\s*|malformed\(|malformedItem\(|conflict\(\w+(?:\.\w+)?, |suboperationFault\(\s*[^,]+,\s*|invalidBatch\(|malformed\(\w*"[\w-]+", )${literal}`,
  "g",
);

/** A detail that the code makes. */
export interface SourceText {
  readonly file: string;
  /** With `7` for each of its values. */
  readonly text: string;
  /** Codes that stand near it. */
  readonly codes: readonly string[];
}

/** Rooms whose texts no client reads, and the examples in the OpenAPI document, which is in English. */
const silent = /^(?:testing|ground\/options|capabilities\/languages|client)\/|^capabilities\/(?:transfer\/import\/importRows|openapi\/problems)/;

/** Every detail that the sources have as a literal beside its problem. */
export function sourceTexts(): readonly SourceText[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && !silent.test(file));
  return files.flatMap((file) => {
    const code = readFileSync(join(source, file), "utf8").replaceAll(/^\s*\*.*$/gm, "");
    // One word is the name of a header.
    const found = [...code.matchAll(details)].filter(([, text = ""]) => text.includes(" "));
    return found.map(({ 1: text = "", index }) => ({
      file,
      text: sampleOf(text),
      codes: [...code.slice(Math.max(0, index - 400), index + 600).matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/g)].map(([, name = ""]) => name),
    }));
  });
}

function sampleOf(found: string): string {
  const text = found.slice(1, -1);
  return found.startsWith("`") ? text.replace(new RegExp(value, "g"), "7").replaceAll("\\`", "`") : text.replaceAll(/\\(.)/g, "$1");
}
