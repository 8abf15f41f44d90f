import { createReadStream } from "node:fs";
import { describe, expect, test } from "vitest";
import { fileOf, run, serve, userRows, userService } from "./stage.js";

/** Clears a terminal, sets its title, begins a control sequence by a single character, turns a text around, and ends a line. */
const hostile = "a\u001b[2J\u001b]0;x\u0007\u009b31m\u202eb\u2066\u2028c\r";
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may not be there
const changing = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const problem = JSON.stringify({
  title: hostile,
  status: 422,
  detail: hostile,
  code: hostile,
  requestId: hostile,
  errors: [
    { code: hostile, detail: hostile, pointer: hostile, parameter: hostile, header: hostile, allowed: [hostile, 1], hint: hostile },
    { code: hostile },
    null,
  ],
});

const job = (origin: string, more: object) =>
  JSON.stringify({
    id: "7",
    type: hostile,
    status: "failed",
    progress: 1,
    processedRows: 1,
    totalRows: 1,
    attempts: 1,
    result: null,
    links: { self: `${origin}/imports/7` },
    ...more,
  });

describe("What a server says never changes the terminal:", () => {
  test.each([
    ["a problem", 422, "application/problem+json", problem],
    ["a problem of a failure", 500, "application/problem+json", problem],
    ["a text", 400, "text/plain", hostile],
    ["a page", 404, "text/html", `<html>${hostile}`],
    ["what is no job", 202, "application/json", JSON.stringify(hostile)],
    ["a place elsewhere", 303, "text/plain", ""],
  ])("%s", async (_, status, type, text) => {
    const { origin } = await serve((incoming, outgoing) => {
      incoming.resume().on("end", () => outgoing.writeHead(status, { "content-type": type, location: "http://[\u009b" }).end(text));
    });
    for (const args of [
      ["import", fileOf("users.csv", userRows(1)), "--to", `${origin}/imports`],
      ["export", "--from", `${origin}/users/export`, "--out", "-"],
      ["client", `${origin}/openapi.json`],
    ]) {
      const { code, stdout, stderr } = await run(args, { isTTY: true });
      expect(code).toBe(status === 202 && args[0] === "export" ? 0 : 1);
      expect(stderr.replaceAll("\r\u001b[2K", "")).not.toMatch(changing);
      expect(stdout).not.toMatch(changing);
    }
  });

  test("a job, as a text and as JSON", async () => {
    const { origin } = await serve((incoming, outgoing) => {
      const state = job(origin, { error: { code: hostile, detail: hostile, row: 1 } });
      const isNew = incoming.method === "POST";
      incoming
        .resume()
        .on("end", () => outgoing.writeHead(isNew ? 202 : 200, { "content-type": "application/json", location: "/imports/7" }).end(state));
    });
    const { stdout, stderr } = await run(["import", fileOf("users.csv", userRows(1)), "--to", `${origin}/imports`, "--json"], { isTTY: true });
    expect(stderr.replaceAll("\r\u001b[2K", "")).not.toMatch(changing);
    expect(stdout).not.toMatch(changing);
    expect(JSON.parse(stdout)).toMatchObject({ type: hostile });
  });

  test("the rows of an export, which are exact everywhere else", async () => {
    const rows = `name\n${hostile}\n`;
    const { origin } = await serve((_, outgoing) => outgoing.writeHead(200, { "content-type": "text/csv" }).end(rows));
    const args = ["export", "--from", `${origin}/users/export`, "--out", "-"];
    expect((await run(args)).stdout).toBe(rows);
    const { stdout } = await run(args, { isTTY: true });
    expect(stdout).not.toMatch(changing);
    expect(stdout).toContain("b");
  });
});

test("An answer without an end is not read to it", async () => {
  const { origin } = await serve((_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "application/json" });
    createReadStream("/dev/zero").pipe(outgoing);
  });
  const { code, stderr } = await run(["client", `${origin}/openapi.json`]);
  expect(code).toBe(1);
  expect(stderr).toContain("answers with more than 67108864 bytes, which are not read.");
});

test("An address that takes no imports is named with one that does", async () => {
  const { origin } = await serve(userService());
  const file = fileOf("users.csv", userRows(1));
  for (const path of ["/users", "/", "/users/7", "/nothing"]) {
    const { code, stderr } = await run(["import", file, "--to", origin + path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/--to is the address at which the service takes imports, such as http:\/\/127\.0\.0\.1:\d+(?:\/users)?\/imports or /);
  }
  expect((await run(["import", file, "--to", `${origin}/users/import`])).code).toBe(0);
});
