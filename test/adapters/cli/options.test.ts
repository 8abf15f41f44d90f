import { describe, expect, test } from "vitest";
import { UsageError } from "../../../adapters/cli/commandError.js";
import { commandWords } from "../../../adapters/cli/commandWords.js";
import { parseExportOptions } from "../../../adapters/cli/export/exportOptions.js";
import { formatOfName } from "../../../adapters/cli/fileFormat.js";
import { parseImportOptions } from "../../../adapters/cli/import/importOptions.js";
import { importRequest } from "../../../adapters/cli/import/importRequest.js";
import type { InputFile } from "../../../adapters/cli/import/inputFile.js";
import { versionFault } from "../../../adapters/cli/nodeVersion.js";
import { readRequestHeaders } from "../../../adapters/cli/request/requestHeaders.js";
import { run } from "./stage.js";

const to = "https://host.test/v1/imports";

function imported(args: readonly string[], { name = "users.csv", head = "name,email\n", identity = "1" } = {}) {
  const options = parseImportOptions([name, "--to", to, ...args], {});
  if (options === "help" || options.to === undefined) throw new Error("The command line is one of an import.");
  const file: InputFile = { name, path: name, bytes: 1, identity, head: Buffer.from(head), requireUnchanged: async () => {}, close: async () => {} };
  return importRequest(options.to, file, options);
}

const queryOf = (args: readonly string[], file = {}) => Object.fromEntries(imported(args, file).url.searchParams);

describe("the options of an import", () => {
  test.each([
    ["the collection by the name of the file", [], { collection: "users" }],
    ["a collection", ["--collection", "people"], { collection: "people" }],
    [
      "a mode",
      ["--mode", "upsert", "--key", "email", "--skip-unchanged"],
      { collection: "users", mode: "upsert", key: "email", skipUnchanged: "true" },
    ],
    ["errors", ["--on-error", "stop", "--max-errors=5"], { collection: "users", onError: "stop", maxErrors: "5" }],
    ["a dry run", ["--dry-run", "--offset", "7"], { collection: "users", dryRun: "true", offset: "7" }],
    [
      "columns",
      ["--map", "E-mail = 1=email", "--map", "Name=name", "--unknown-columns", "ignore"],
      { collection: "users", "map[E-mail = 1]": "email", "map[Name]": "name", unknownColumns: "ignore" },
    ],
    ["texts", ["--delimiter", "|", "--formulas", "escaped"], { collection: "users", delimiter: "|", formulas: "escaped" }],
  ])("say %s in the query", (_, args, query) => {
    expect(queryOf(args)).toEqual(query);
  });

  test("are guessed where a file tells them", () => {
    expect(queryOf([], { name: "users.tsv" })).toEqual({ collection: "users", delimiter: "tab" });
    expect(queryOf([], { head: "name,_row,_line,_code,_field,_message\r\nAda" })).toEqual({
      collection: "users",
      formulas: "escaped",
      delimiter: ",",
    });
    expect(imported([], { name: "users.jsonl" }).headers["content-type"]).toBe("application/x-ndjson");
    expect(imported([], { head: "\u001f" }).headers["content-encoding"]).toBeUndefined();
  });

  test("make a key of their own, the same for the same file and options", () => {
    const { key } = imported([]);
    expect(imported([]).key).toBe(key);
    const others = [imported(["--dry-run"]), imported([], { identity: "2" }), imported(["--format", "json"]), imported(["--idempotency-key", "new"])];
    expect(new Set([key, ...others.map((other) => other.key)]).size).toBe(5);
    expect(imported(["--idempotency-key", "0123456789abcdef"]).key).toBe("0123456789abcdef");
  });

  test.each([
    [["a.csv", "b.csv", "--to", to], 'Name one file, or "-"'],
    [["a.csv", "--to", to, "--nope"], "--nope"],
    [["a.csv", "--to", "https://user:word@host.test/imports"], "must not contain credentials"],
    [["a.csv", "--to", to, "--map", "email"], "--map must be Header=field"],
    [["a.csv", "--to", to, "--format", "xlsx"], "--format must be csv"],
    [["a.csv", "--to", to, "--resume", "--idempotency-key", "new"], "--resume sends no file"],
  ])("%j are refused", (args, message) => {
    expect(() => parseImportOptions(args, {})).toThrow(message);
    expect(() => parseImportOptions(args, {})).toThrow(UsageError);
  });

  test.each([
    ["users.xlsx", "--format is missing"],
    ["-", "--format is missing"],
  ])("that %s does not tell are asked for", (name, message) => {
    expect(() => imported([], { name })).toThrow(message);
  });
});

describe("the options of an export", () => {
  test("name an order as it is named everywhere, although it begins like an option", () => {
    const options = parseExportOptions(["--from", "https://host.test/exports", "--collection", "users", "--sort", "-id,name", "--out", "-"], {});
    expect(options).toMatchObject({ source: "exports", request: { collection: "users", sort: "-id,name" }, out: "-" });
  });

  test.each([
    ["https://host.test/v1/exports", "exports"],
    ["https://host.test/v1/exports/", "exports"],
    ["https://host.test/v1/exports/0123", "job"],
    ["https://host.test/v1/users/export?status=active", "stream"],
  ])("take %s for what it is", (from, source) => {
    expect(
      parseExportOptions(
        ["--from", from, "--collection=users", "--out=a.csv"].filter((word) => source === "exports" || !word.startsWith("--c")),
        {},
      ),
    ).toMatchObject({ source });
  });
});

test.each([
  ["users.csv", { format: "csv" }],
  ["folder.json/USERS.TSV", { format: "csv", delimiter: "tab" }],
  ["users.jsonl.gz", { format: "ndjson" }],
  ["users.ndjson", { format: "ndjson" }],
  ["users.json", { format: "json" }],
  ["users.csv.errors.csv", { format: "csv" }],
  ["users", undefined],
  ["users.gz", undefined],
  ["-", undefined],
])("The name %s tells the format %j", (name, format) => {
  expect(formatOfName(name)).toEqual(format);
});

test.each([
  [["no colon"], "--header must be"],
  [["na me: value"], "--header must be"],
  [["x-a: b\r\nx-c: d"], "--header must be"],
  [["Content-Length: 5"], 'cannot set "content-length"'],
])("The headers %j are refused", (lines, message) => {
  expect(() => readRequestHeaders(lines, undefined)).toThrow(message);
});

test.each([
  [["import", "users.csv"], "restwright import users.csv"],
  [["import", "my users.csv", "it's"], "restwright import 'my users.csv' 'it'\\''s'"],
])("The words %j are typed as %s", (words, typed) => {
  expect(commandWords(...words)).toBe(typed);
});

test.each([
  ["20.19.0", true],
  ["20.18.3", false],
  ["18.20.4", false],
  ["22.0.0", true],
])("Node %s will do: %s", (version, isFit) => {
  expect(versionFault(version) === undefined).toBe(isFit);
  if (!isFit) expect(versionFault(version)).toBe(`restwright needs Node.js 20.19 or later; this is ${version}.`);
});

describe("restwright", () => {
  test.each([
    [["--help"], "restwright import <file|->"],
    [["import", "--help"], "--idempotency-key"],
    [["export", "-h"], "--filter <json>"],
    [["--version"], "1.2.3\n"],
  ])("answers %j on standard output", async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(text);
  });

  test.each([
    [[], "Name a command: init, import, export, introspect, sql, diff, openapi or client.\nTry: restwright --help\n"],
    [["upload"], 'Unknown command "upload"; allowed: init, import, export, introspect, sql, diff, openapi, client.\nTry: restwright --help\n'],
    [["import"], 'Name one file, or "-" for standard input; got 0.\nTry: restwright import --help\n'],
  ])("does not take %j", async (args, stderr) => {
    expect(await run(args)).toEqual({ code: 1, stdout: "", stderr });
  });
});
