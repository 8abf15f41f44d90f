import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import type { Principal } from "restwright";
import { bearer } from "restwright/auth";
import { nodeHandler } from "restwright/node";
import { describe, expect, test } from "vitest";
import { countUsers, fileOf, type Listener, run, serve, userRows, userService } from "./stage.js";

describe("restwright import", () => {
  test("imports a file, ends with 0 and leaves nothing beside it", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", userRows(3));
    const { code, stdout, stderr } = await run(["import", file, "--to", `${server.origin}/imports`]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^Import: http:\S+\/imports\/\S+\nImported \S+users\.csv: 3 created\.\n$/);
    expect(await countUsers(server)).toBe(3);
    expect([existsSync(`${file}.errors.csv`), existsSync(`${file}.import.json`)]).toEqual([false, false]);
    expect(server.requests[0]).toBe("POST /imports?collection=users");
  });

  test.each([
    ["of tabs", "users.tsv", "name\temail\nAda\tada@example.com\n", []],
    ["of JSON lines", "users.jsonl", '{"name":"Ada","email":"ada@example.com"}\n', []],
    ["of one JSON array", "users.json", '[{"name":"Ada","email":"ada@example.com"}]', []],
    ["that is compressed", "users.ndjson.gz", gzipSync('{"name":"Ada","email":"ada@example.com"}\n'), []],
    [
      "of other names",
      "people.dat",
      "Full name;email\nAda;ada@example.com\n",
      ["--collection=users", "--format=csv", "--delimiter=;", "--map", "Full name=name"],
    ],
  ])("takes a file %s", async (_, name, content, options) => {
    const server = await serve(userService());
    const { code } = await run(["import", fileOf(name, content), "--to", `${server.origin}/imports`, ...options]);
    expect([code, await countUsers(server)]).toEqual([0, 1]);
  });

  test("takes standard input, and finds its import when it comes again", async () => {
    const server = await serve(userService());
    const args = ["import", "-", "--format", "csv", "--to", `${server.origin}/imports?collection=users`];
    const first = await run(args, { stdin: userRows(2) });
    const second = await run(args, { stdin: userRows(2) });
    expect([first.code, second.code, await countUsers(server)]).toEqual([0, 0, 2]);
    expect(second.stderr).toContain("This file was sent before");
    expect(second.stderr).toContain("Imported standard input: 2 created.");
  });

  test("saves the rows that failed beside the file, ends with 2, and imports them once they are mended", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", "name,email\nAda,ada@example.com\nBen,nowhere\n=1+1,\n");
    const { code, stderr } = await run(["import", file, "--to", `${server.origin}/imports`]);
    const report = `${file}.errors.csv`;
    expect(code).toBe(2);
    expect(stderr).toContain(`1 created, 2 failed.\nFailed rows and their errors: ${report}\n`);
    const text = readFileSync(report, "utf8");
    expect(text).toMatch(
      /^name,email,_row,_line,_code,_field,_message\r\nBen,nowhere,2,3,VALIDATION_FAILED,email,[^\r]*\r\n'=1\+1,,3,4,VALIDATION_FAILED,/,
    );
    writeFileSync(report, text.replace("nowhere", "ben@example.com").replace("=1+1,", "=1+1,cy@example.com"));
    expect((await run(["import", report, "--to", `${server.origin}/imports`])).code).toBe(0);
    const { data } = (await (await fetch(`${server.origin}/users`)).json()) as { readonly data: readonly { readonly name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(["Ada", "Ben", "=1+1"]);
  });

  test("leaves a report alone that was mended meanwhile", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", "name,email\nAda,ada@example.com\nBen,nowhere\n");
    const args = ["import", file, "--to", `${server.origin}/imports`, "--idempotency-key", "new", "--dry-run"];
    const report = `${file}.errors.csv`;
    expect((await run(args)).stderr).toContain(`their errors: ${report}\n`);
    const first = readFileSync(report, "utf8");
    expect((await run(args)).stderr).toContain(`their errors: ${report}\n`);
    writeFileSync(report, "mended");
    expect((await run(args)).stderr).toContain(`their errors: ${file}.errors-2.csv\n`);
    writeFileSync(`${file}.errors-2.csv`, "mended too");
    expect((await run(args)).stderr).toContain(`their errors: ${file}.errors-3.csv\n`);
    const names = readdirSync(dirname(file)).toSorted();
    expect(names).toEqual(["users.csv", "users.csv.errors-2.csv", "users.csv.errors-3.csv", "users.csv.errors.csv"]);
    const texts = ["", "-2", "-3"].map((number) => readFileSync(`${file}.errors${number}.csv`, "utf8"));
    expect(texts).toEqual(["mended", "mended too", first]);
  });

  test("keeps nothing in a dry run, and puts failed rows where it is told to", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", "name,email\nAda,ada@example.com\nBen,nowhere\n");
    const { code, stderr } = await run(["import", file, "--to", `${server.origin}/imports`, "--dry-run", "--errors", `${file}.bad`]);
    expect([code, existsSync(`${file}.bad`), await countUsers(server)]).toEqual([2, true, 0]);
    expect(stderr).toContain("1 created, 1 failed. Nothing was written.");
  });

  test("says all that is wrong with a header, and ends with 1", async () => {
    const server = await serve(userService());
    const { code, stderr } = await run(["import", fileOf("users.csv", "naam,email\nAda,ada@example.com\n"), "--to", `${server.origin}/imports`]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      [
        "422 Unprocessable Content (UNKNOWN_COLUMN): 2 problems were found.",
        '  - Unknown column "naam" (column 1). Did you mean "name"?',
        "    allowed: name, email",
        '  - The required column "name" is missing.',
        "",
      ].join("\n"),
    );
  });

  test("finds the import of the same file, options and address, and makes another when it is told to", async () => {
    const server = await serve(userService());
    const args = ["import", fileOf("users.csv", userRows(2)), "--to", `${server.origin}/imports`];
    expect((await run(args)).stderr).not.toContain("before");
    expect((await run(args)).stderr).toContain("This file was sent before; following its import.");
    expect((await run([...args, "--mode", "upsert", "--key", "email", "--skip-unchanged"])).stderr).toContain("2 skipped.");
    const { code, stderr } = await run([...args, "--idempotency-key", "new"]);
    expect(code).toBe(2);
    expect(stderr).toContain("2 failed.");
  });

  test("says what to do where a key was used for something else", async () => {
    const server = await serve(userService());
    const args = ["--to", `${server.origin}/imports`, "--idempotency-key", "0123456789abcdef"];
    await run(["import", fileOf("users.csv", userRows(2)), ...args]);
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^422 .*IDEMPOTENCY_KEY_REUSED.*\n.*\n.*--idempotency-key new\n$/);
  });

  test("writes the finished job to standard output, and nothing else anywhere when it is to be quiet", async () => {
    const server = await serve(userService());
    const { stdout, stderr } = await run(["import", fileOf("users.csv", userRows(2)), "--to", `${server.origin}/imports`, "--json", "--quiet"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "completed", result: { created: 2, failed: 0 } });
    expect(stderr).toBe("");
  });

  test("takes POST /users/import as well, where the path names the collection", async () => {
    const server = await serve(userService());
    expect((await run(["import", fileOf("people.csv", userRows(2)), "--to", `${server.origin}/users/import`])).code).toBe(0);
    expect(server.requests[0]).toBe("POST /users/import");
  });

  test("is followed behind a proxy that takes a prefix away", async () => {
    let handler: Listener = (_, outgoing) => outgoing.destroy();
    const server = await serve((incoming, outgoing) => {
      incoming.url = incoming.url?.replace(/^\/api/, "") ?? "";
      handler(incoming, outgoing);
    });
    handler = nodeHandler(userService({ baseUrl: `${server.origin}/api` }));
    const file = fileOf("users.csv", "name,email\nBen,nowhere\n");
    expect((await run(["import", file, "--to", `${server.origin}/api/imports`])).code).toBe(2);
    expect(server.requests.map((request) => request.split(" ")[1]?.slice(0, 13))).toEqual(
      Array(server.requests.length).fill("/api/imports?").fill("/api/imports/", 1),
    );
    expect(readFileSync(`${file}.errors.csv`, "utf8")).toContain("Ben,nowhere");
  });

  test("sends a token, from the environment too, and headers", async () => {
    const ada: Principal = { id: "ada" };
    const server = await serve(userService({ auth: [bearer((token) => (token === "secret" ? ada : undefined))] }));
    const args = ["import", fileOf("users.csv", userRows(2)), "--to", `${server.origin}/imports`];
    expect((await run(args)).stderr).toMatch(/^401 /);
    expect((await run([...args, "--token", "secret"])).code).toBe(0);
    expect((await run(args, { variables: { RESTWRIGHT_TOKEN: "secret" } })).code).toBe(0);
    expect((await run([...args, "--header", "Authorization: Bearer secret"], { variables: { RESTWRIGHT_TOKEN: "old" } })).code).toBe(0);
  });

  test.each([
    ["no file there", ["missing.csv", "--to", "http://127.0.0.1:1/imports"], "The file missing.csv does not exist."],
    ["a folder", [".", "--format", "csv", "--to", "http://127.0.0.1:1/imports"], "is not a regular file"],
    ["no address", ["users.csv"], "--to is missing"],
    ["an address of something else", ["users.csv", "--to", "ftp://host/imports"], "--to must be an http or https URL"],
    ["a record that is missing", ["users.csv", "--to", "http://127.0.0.1:1/imports", "--resume"], "the file users.csv.import.json does not exist"],
  ])("ends with 1 for %s", async (_, args, message) => {
    const { code, stderr } = await run(["import", ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
