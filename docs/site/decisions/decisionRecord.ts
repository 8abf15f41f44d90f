/** The bounds of a record: one that needs more is two decisions, or tells what the code or the docs tell. */
const maxLines = 20;
const maxLineLength = 200;

const parts = ["Context", "Choice", "Price"];

/** The statement of a record, which is its heading; empty without one. */
export function decisionTitle(record: string): string {
  return /^# (\S.*)/.exec(record)?.[1] ?? "";
}

/**
 * What is wrong with the form of a record, one line for each fault.
 *
 * @example
 * decisionFaults("# Lists have totals\n\n**Context.** …\n\n**Choice.** …\n") // ["parts: Context, Choice, Price expected, got Context, Choice"]
 */
export function decisionFaults(record: string): string[] {
  const lines = record.trimEnd().split("\n");
  const faults = lines.flatMap((line, index) => (line.length > maxLineLength ? [`line ${index + 1}: more than ${maxLineLength} characters`] : []));
  if (lines.length > maxLines) faults.push(`more than ${maxLines} lines`);
  const [title = "", ...paragraphs] = record.trim().split(/\n{2,}/);
  if (!/^# \S[^\n]*[^\s.]$/.test(title)) faults.push("the first line is not a heading without a full stop");
  // A paragraph without a name continues the part above it.
  const named = paragraphs.map((paragraph) => /^\*\*(\w+)\.\*\*(?: (?=\S))?/.exec(paragraph));
  const names = named.flatMap((match) => match?.[1] ?? []);
  if (names.join() !== parts.join()) faults.push(`parts: ${parts.join(", ")} expected, got ${names.join(", ") || "none"}`);
  if (paragraphs.length > 0 && named[0] === null) faults.push("a paragraph stands before the first part");
  for (const match of named) if (match !== null && !match[0].endsWith(" ")) faults.push(`${match[1]} is empty`);
  return faults;
}

/**
 * The files and folders of the repository that a record names in code.
 *
 * @example
 * pathsOf("It is in `src/ground/http/target`.") // ["src/ground/http/target"]
 */
export function pathsOf(record: string): string[] {
  return [...record.matchAll(/`((?:src|adapters|test|bench|examples|docs)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
}
