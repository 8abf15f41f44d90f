import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { decisionFaults, decisionTitle, pathsOf } from "../../docs/site/decisions/decisionRecord.js";
import { decisionsPage, mappedRooms, projectFolder } from "../../docs/site/decisions/decisionsPage.js";
import { repository } from "../../docs/site/declarations/program.js";

const folder = `${repository}docs/decisions/`;

const exists = (path: string) => ["", ".ts"].some((ending) => existsSync(`${repository}${path}${ending}`));

const records = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((path) => ({ path, text: readFileSync(`${folder}${path}`, "utf8") }));

/** Whether `src` or the repository, for `adapters/…`, has this folder. */
const isFolder = (room: string) => existsSync(`${repository}src/${room}`) || (room.startsWith("adapters/") && existsSync(`${repository}${room}`));

describe("each record of docs/decisions", () => {
  test("is in the folder of a room, an adapter or the project, under a name of its own", () => {
    const misplaced = records.filter(({ path }) => {
      const [, room = ""] = /^(\w+(?:\/\w+)*)\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.exec(path) ?? [];
      return room !== projectFolder && (room === "" || !isFolder(room));
    });
    expect(misplaced.map(({ path }) => path)).toEqual([]);
    expect(records.length).toBeGreaterThan(0);
  });

  test("has a title, a context, a choice and a price, in at most 20 lines of 200 characters", () => {
    const faults = records.flatMap(({ path, text }) => decisionFaults(text).map((fault) => `${path}: ${fault}`));
    expect(faults).toEqual([]);
  });

  test("names files and folders that exist", () => {
    const absent = records.flatMap(({ path, text }) => pathsOf(text).flatMap((named) => (exists(named) ? [] : [`${path}: ${named}`])));
    expect(absent).toEqual([]);
  });
});

describe("docs/decisions/README.md", () => {
  test("lists the records by room; npm run docs:decisions writes it", async () => {
    const entries = records.map(({ path, text }) => {
      const room = dirname(path);
      return { room, slug: path.slice(room.length + 1).replace(/\.md$/, ""), title: decisionTitle(text) };
    });
    const rooms = mappedRooms(readFileSync(`${repository}docs/architecture.md`, "utf8"));
    await expect(decisionsPage(entries, rooms)).toMatchFileSnapshot(`${folder}README.md`);
  });

  test("has the rooms in the order of the map, then the other adapters, then the project", () => {
    const map =
      "`none`\n\n## Map\n\n| room | contents |\n|---|---|\n| `http`, `problem` | `words` |\n| `sql` | … |\n\n## A service\n\n| `last` | … |\n";
    expect(mappedRooms(map)).toEqual(["http", "problem", "sql"]);
    const entry = (room: string, slug: string) => ({ room, slug, title: `The ${slug}` });
    const page = decisionsPage(
      [entry("project", "b"), entry("koa", "b"), entry("sql", "b"), entry("express", "b"), entry("sql", "a")],
      mappedRooms(map),
    );
    expect([...page.matchAll(/^(?:## .*|- .*)$/gm)].map(([line]) => line)).toEqual([
      "## sql",
      "- [The a](sql/a.md)",
      "- [The b](sql/b.md)",
      "## express",
      "- [The b](express/b.md)",
      "## koa",
      "- [The b](koa/b.md)",
      "## project",
      "- [The b](project/b.md)",
    ]);
  });
});

describe("decisionFaults", () => {
  const record = "# Lists have totals\n\n**Context.** A page.\n\n**Choice.** A count.\n\nMore of it.\n\n**Price.** A query.\n";

  test("accepts a record, whose parts may have several paragraphs", () => {
    expect(decisionFaults(record)).toEqual([]);
    expect(decisionTitle(record)).toBe("Lists have totals");
  });

  test.each([
    ["the first line is not a heading", record.replace("# ", "")],
    ["the first line is not a heading", record.replace("totals", "totals.")],
    ["parts: Context, Choice, Price expected, got Context, Price", record.replace("**Choice.** A count.\n\n", "")],
    [
      "parts: Context, Choice, Price expected, got Choice, Context, Price",
      record.replace("Context", "?").replace("Choice", "Context").replace("?", "Choice"),
    ],
    ["parts: Context, Choice, Price expected, got none", "# Lists have totals\n"],
    ["a paragraph stands before the first part", record.replace("\n\n", "\n\nBefore.\n\n")],
    ["Price is empty", record.replace(" A query.", "")],
    ["line 9: more than 200 characters", record.replace("A query.", "q".repeat(201))],
    ["more than 20 lines", record.replace("More", "More\n".repeat(12))],
  ])("reports: %s", (fault, text) => {
    expect(decisionFaults(text)).toEqual([expect.stringContaining(fault)]);
  });
});
