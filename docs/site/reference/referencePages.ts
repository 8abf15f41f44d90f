import { type Symbol as Declared, SymbolFlags } from "typescript/unstable/sync";
import { type Declarations, openDeclarations } from "../declarations/program.js";
import { declarationText } from "./declarationText.js";

/** Chapters of a page. */
const kinds: readonly { readonly title: string; readonly flags: number }[] = [
  { title: "Functions", flags: SymbolFlags.Function },
  { title: "Classes", flags: SymbolFlags.Class },
  { title: "Values", flags: SymbolFlags.Variable },
  { title: "Types", flags: SymbolFlags.Interface | SymbolFlags.TypeAlias },
];

/**
 * The reference of each entry of the package, by its path in the site: all that it exports, with signatures, texts and examples of the sources.
 *
 * @throws {Error} if an export is of no known kind
 * @example
 * referencePages().get("api/jobs.md")
 */
export function referencePages(): Map<string, string> {
  const declarations = openDeclarations();
  try {
    const homes = homesOf(declarations);
    return new Map(declarations.entries.map((entry) => [`${pathOf(entry)}.md`, pageOf(declarations, entry, homes)]));
  } finally {
    declarations.close();
  }
}

const nameOf = (entry: string) => `restwright${entry.slice(1)}`;
const pathOf = (entry: string) => `api/${entry === "." ? "restwright" : entry.slice(2).replaceAll("/", "-")}`;

/** The entry that documents each declaration: the first of those that export it, which is the main one if it does. */
function homesOf(declarations: Declarations): Map<number, string> {
  const homes = new Map<number, string>();
  for (const entry of declarations.entries) {
    for (const symbol of declarations.exportsOf(entry).values()) if (!homes.has(symbol.id)) homes.set(symbol.id, entry);
  }
  return homes;
}

function pageOf(declarations: Declarations, entry: string, homes: ReadonlyMap<number, string>): string {
  const exported = [...declarations.exportsOf(entry)].filter(([name]) => name !== "default");
  const unknown = exported.find(([, { flags }]) => !kinds.some((kind) => (kind.flags & flags) !== 0));
  if (unknown !== undefined) throw new Error(`${nameOf(entry)} exports "${unknown[0]}", which is of no known kind.`);
  const chapters = kinds.flatMap(({ title, flags }, index) => {
    const earlier = kinds.slice(0, index).reduce((sum, kind) => sum | kind.flags, 0);
    const members = exported.filter(([, symbol]) => (symbol.flags & flags) !== 0 && (symbol.flags & earlier) === 0);
    if (members.length === 0) return [];
    const own = members.filter(([, { id }]) => homes.get(id) === entry).toSorted(([a], [b]) => a.localeCompare(b));
    const others = members.filter(([, { id }]) => homes.get(id) !== entry).toSorted(([a], [b]) => a.localeCompare(b));
    return [`## ${title}\n\n${own.map(([name, symbol]) => memberText(declarations, name, symbol)).join("\n")}${othersText(others, homes)}`];
  });
  return `# ${nameOf(entry)}\n\nWhat \`import … from "${nameOf(entry)}"\` has.\n\n${chapters.join("\n")}`;
}

/** What is documented on the page of another entry. */
function othersText(members: readonly (readonly [string, Declared])[], homes: ReadonlyMap<number, string>): string {
  if (members.length === 0) return "";
  const links = members.map(([name, { id }]) => {
    const home = homes.get(id) ?? ".";
    return `- [\`${name}\`](./${pathOf(home).replace("api/", "")}.md#${name.toLowerCase()}) of \`${nameOf(home)}\``;
  });
  return `\n${links.join("\n")}\n`;
}

function memberText(declarations: Declarations, name: string, symbol: Declared): string {
  const { checker } = declarations;
  const tags = symbol.getJsDocTags(checker).map((tag) => ({ name: tag.name, text: tag.text ?? "" }));
  const textsOf = (tag: string) => tags.filter((each) => each.name === tag).map(({ text }) => text.trim());
  const lines = [
    ...textsOf("param").map((text) => `- \`${text.split(/\s/, 1)[0]}\`: ${prose(text.replace(/^\S+\s*-?\s*/, ""))}`),
    ...textsOf("returns").map((text) => `- returns ${prose(text)}`),
    ...textsOf("throws").map((text) => `- throws ${prose(text.replace(/^\{(\w+)\}/, "`$1`"))}`),
    ...textsOf("see").map((text) => `- see ${prose(text)}`),
  ];
  const parts = [
    `### ${name}`,
    prose(symbol.getDocumentationComment(checker)),
    `\`\`\`ts\n${declarationText(declarations, symbol)}\n\`\`\``,
    lines.join("\n"),
    ...textsOf("example").map((text) => `\`\`\`ts\n// example\n${text}\n\`\`\``),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A text of TSDoc as Markdown: names in braces and angle brackets outside of code are no markup. */
function prose(text: string): string {
  return text
    .trim()
    .replaceAll(/\{@link (\S+?)\}/g, "`$1`")
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;{")))
    .join("");
}
