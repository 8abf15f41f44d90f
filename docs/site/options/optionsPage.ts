/** One option of a function. */
export interface OptionRow {
  readonly name: string;
  /** What the check of the function says that the value must be. */
  readonly allowed: string;
  readonly isRequired: boolean;
  readonly default: string | undefined;
  readonly text: string;
}

/** The options that one function takes in one place. */
export interface OptionPlace {
  /** The entry of the package: `./uploads`. */
  readonly entry: string;
  /** The function that takes them: `uploads`. */
  readonly name: string;
  /** Where they stand in its own: `forms`; empty for its own. */
  readonly path: string;
  readonly rows: readonly OptionRow[];
}

interface Group {
  readonly title: string;
  readonly holds: (place: OptionPlace) => boolean;
}

const among =
  (...entries: readonly string[]) =>
  (place: OptionPlace) =>
    entries.includes(place.entry);

/** The chapters of the page. What fits no other is a capability. */
const groups: readonly Group[] = [
  { title: "The service", holds: ({ entry, name }) => entry === "." && name === "createService" },
  { title: "Collections", holds: among(".", "./values") },
  { title: "Credentials", holds: among("./auth", "./jwt") },
  { title: "Stores", holds: among("./memory", "./sqlite", "./postgres", "./sql", "./redis", "./disk", "./s3") },
  { title: "Hosts", holds: among("./express", "./fastify", "./hono", "./koa", "./node", "./fetch", "./idempotency") },
  { title: "Connections and checks of files", holds: among("./undici", "./clamd", "./checks") },
  { title: "Parsers", holds: among("./query", "./fields", "./patch") },
  { title: "Tests", holds: among("./testing") },
];
const capabilities = "Capabilities";

/** The page that tells more, where it is not the page of the entry. */
const pages: Readonly<Record<string, string>> = {
  ". createService": "resources.md",
  ".": "resources.md",
  ". belongsTo": "relations.md",
  "./values": "resources.md#decimals-days-and-bytes",
  "./auth": "access.md",
  "./auth sigv4": "sigv4.md",
  "./jwt": "access.md",
  "./memory": "storage.md",
  "./sqlite": "storage.md",
  "./postgres": "storage.md",
  "./sql": "storage.md",
  "./redis": "storage.md",
  "./disk": "storage.md",
  "./s3": "storage.md",
  "./express": "idempotency.md",
  "./fastify": "idempotency.md",
  "./koa": "idempotency.md",
  "./hono": "hosts.md",
  "./node": "hosts.md",
  "./fetch": "hosts.md",
  "./undici": "webhooks.md",
  "./clamd": "checks.md",
  "./xml": "formats.md",
  "./cache": "caching.md",
  "./rate-limit": "rate-limits.md",
  "./query": "query.md",
  "./fields": "fields.md",
  "./patch": "json-patch.md",
  "./testing": "guides/testing-rules.md",
};

const intro = `# Options

Every option of every function that takes some. A test makes this page from the checks that the functions make when they are called, and from the types of the options, so it
cannot differ from them: \`npm run docs:options\` writes it again.

- An option that is misspelled, or has another value than "allowed" says, is a \`ConfigurationError\` at start-up.
- An option that is left out, or \`undefined\`, has its default. "–" means that without it nothing is set.
- Names end with their unit: \`…Ms\` is milliseconds, \`…Seconds\` seconds, \`…Bytes\` bytes.
- Options of single [calls from your own code](calls.md) and of [the client](client.md) are on their pages.
`;

/**
 * Writes the page of all options.
 *
 * @param hasPage whether docs/ has a page of this name
 * @example
 * await writeFile("docs/options.md", optionsPage(places, (name) => existsSync(`docs/${name}`)));
 */
export function optionsPage(places: readonly OptionPlace[], hasPage: (name: string) => boolean): string {
  const shown = withoutRepeats(places);
  const titles = [...groups.slice(0, 2).map(({ title }) => title), capabilities, ...groups.slice(2).map(({ title }) => title)];
  const texts = titles.map((title) => {
    const sections = merged(shown.filter((place) => (groups.find(({ holds }) => holds(place))?.title ?? capabilities) === title));
    return `## ${title}\n\n${sections.map((section) => sectionText(section, shown, hasPage)).join("\n")}`;
  });
  return `${intro}\n${texts.join("\n")}`;
}

/** `testService` takes the options of `createService`, which are listed once. */
function withoutRepeats(places: readonly OptionPlace[]): OptionPlace[] {
  const known = new Set(
    places.filter(({ name, path }) => name === "createService" && path === "").flatMap(({ rows }) => rows.map((row) => row.name + row.text)),
  );
  return places.map((place) =>
    place.name === "testService" ? { ...place, rows: place.rows.filter((row) => !known.has(row.name + row.text)) } : place,
  );
}

/** Places with the same options. */
interface Section {
  readonly first: OptionPlace;
  readonly places: readonly OptionPlace[];
}

/** Functions with the same options have one table, and the options within others follow those. */
function merged(places: readonly OptionPlace[]): Section[] {
  const sections = new Map<string, OptionPlace[]>();
  const names = [...new Set(places.map(({ name }) => name))];
  for (const place of names.flatMap((name) => places.filter((each) => each.name === name))) {
    const key = JSON.stringify([place.path, place.rows]);
    sections.set(key, [...(sections.get(key) ?? []), place]);
  }
  return [...sections.values()].flatMap((alike) => (alike[0] === undefined ? [] : [{ first: alike[0], places: alike }]));
}

function headingOf({ first, places }: Section): string {
  const names = [...new Set(places.map(({ name }) => `\`${name}\``))].join(", ");
  // The catalogues of languages have the names of languages.
  return first.path === "" ? `### ${names}` : `#### ${names}: \`${first.name === "languages" ? "language" : first.path}\``;
}

function sectionText(section: Section, places: readonly OptionPlace[], hasPage: (name: string) => boolean): string {
  const { first } = section;
  const lines = [headingOf(section), ""];
  const isFirst = !places.some(({ name, path }) => name === first.name && path === "") || first.path === "";
  if (isFirst) lines.push(originText(section, hasPage), "");
  lines.push("| option | allowed | default | |", "|---|---|---|---|");
  for (const row of first.rows) lines.push(rowText(row, linkOf(row, first, places)));
  return `${lines.join("\n")}\n`;
}

/** Where the function is imported from, and the page about it. */
function originText({ first, places }: Section, hasPage: (name: string) => boolean): string {
  const entries = [...new Set(places.map(({ entry }) => `\`restwright${entry.slice(1)}\``))].join(", ");
  const link = pages[`${first.entry} ${first.name}`] ?? pages[first.entry] ?? `${first.entry.slice(2)}.md`;
  const page = link.replace(/#.*/, "");
  const also = first.name === "testService" ? " The options of [`createService`](#createservice), and:" : "";
  return `Of ${entries}.${
    hasPage(page)
      ? ` More: [${page
          .replace(/^guides\//, "")
          .replace(".md", "")
          .replaceAll("-", " ")}](${link}).`
      : ""
  }${also}`;
}

function rowText({ name, allowed, isRequired, default: given, text }: OptionRow, link: string | undefined): string {
  const words = link === undefined ? allowedText(allowed) : `[${allowed}](${link})`;
  return `| \`${name}\` | ${cell(words)} | ${isRequired ? "required" : cell(given ?? "–")} | ${cell(text)} |`;
}

/** Where the options that this option holds are listed. */
function linkOf(row: OptionRow, { entry, name, path }: OptionPlace, places: readonly OptionPlace[]): string | undefined {
  if (row.name === "limits" && (name === "createService" || name === "testService" || name === "defineQuery")) return "limits.md";
  const inner = places.find(
    (place) => place.entry === entry && place.name === name && place.path === (path === "" ? row.name : `${path}.${row.name}`),
  );
  if (inner === undefined) return undefined;
  const section = merged(places.filter(({ path: other }) => other === inner.path)).find((each) => each.places.includes(inner));
  return (
    section &&
    `#${headingOf(section)
      .replace(/^#+ /, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-")}`
  );
}

/** Choices as code; large numbers with separators. */
function allowedText(allowed: string): string {
  if (/^"[^"]*"(?:(?:, | or |, or )"[^"]*")*$/.test(allowed)) return allowed.replaceAll(/"[^"]*"/g, "`$&`");
  return allowed.replaceAll(/\d{5,}/g, (digits) => Number(digits).toLocaleString("en-US"));
}

/** A cell of a table: one line, in which a stroke does not end the cell and a tag is not one. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/<(?=[A-Za-z/])/g, "&lt;")))
    .join("")
    .replaceAll("|", "\\|");
}
