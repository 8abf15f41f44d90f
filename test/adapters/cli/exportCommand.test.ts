import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Principal, Service } from "restwright";
import { bearer } from "restwright/auth";
import { nodeHandler } from "restwright/node";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../tools/temporary.js";
import { fileOf, type Listener, run, serve, type TestServer, userRows, userService } from "./stage.js";

async function serviceOfUsers(count: number): Promise<Service> {
  const service = userService();
  const server = await serve(service);
  await run(["import", fileOf("users.csv", userRows(count)), "--to", `${server.origin}/imports`]);
  return service;
}

/** Has id and name of all users written into a file. */
function exportArgs({ origin }: TestServer, out: string): string[] {
  return ["export", "--from", `${origin}/exports`, "--collection", "users", "--fields", "id,name", "--out", out];
}

const whole = "id,name\r\n1,User 0\r\n2,User 1\r\n3,User 2\r\n";

describe("restwright export", () => {
  test("has a file written and puts it where it should be", async () => {
    const server = await serve(await serviceOfUsers(3));
    const folder = temporaryFolder();
    const out = join(folder, "users.csv");
    const { code, stdout, stderr } = await run(exportArgs(server, out));
    expect([code, stdout, readFileSync(out, "utf8"), readdirSync(folder)]).toEqual([0, "", whole, ["users.csv"]]);
    expect(stderr).toMatch(/^Export: http:\S+\nWrote \S+users\.csv: 3 rows, 39 B\.\n$/);
  });

  test.each([
    ["there is no folder", (folder: string) => join(folder, "missing/users.csv"), /: the folder \S+missing does not exist\.\n$/],
    ["that is a folder", (folder: string) => folder, /: this is a folder; name a file in it\.\n$/],
  ])("asks for nothing where the file cannot be written: %s", async (_, out, expected) => {
    const server = await serve(userService());
    const { code, stderr } = await run(exportArgs(server, out(temporaryFolder())));
    expect([code, server.requests]).toEqual([1, []]);
    expect(stderr).toMatch(expected);
  });

  test("shows its rows where nobody knows how many there will be", async () => {
    const job = {
      id: "1",
      status: "processing",
      progress: 0,
      processedRows: 12_345,
      totalRows: null,
      result: null,
      error: null,
      links: { self: "/exports/1" },
    };
    const states = [job, { ...job, status: "failed", error: { code: "CANCELLED" } }];
    const server = await serve((incoming, outgoing) => {
      const isNew = incoming.method === "POST";
      incoming.resume();
      outgoing.writeHead(isNew ? 202 : 200, { location: "/exports/1" }).end(JSON.stringify(isNew ? job : states.shift()));
    });
    const { stderr } = await run(exportArgs(server, join(temporaryFolder(), "users.csv")), { isTTY: true });
    expect(stderr).toContain("Exporting  12,345 rows");
  });

  test.each([
    ["the format by the name of the file", [], "users.ndjson", '{"id":1,"name":"User 0"}\n{"id":2,"name":"User 1"}\n{"id":3,"name":"User 2"}\n'],
    ["a filter and an order", ["--filter", '{"id":{"gt":1}}', "--sort", "-id"], "users.csv", "id,name\r\n3,User 2\r\n2,User 1\r\n"],
    ["tabs", ["--filter", '{"id":1}'], "users.tsv", "id\tname\r\n1\tUser 0\r\n"],
  ])("takes %s", async (_, options, name, expected) => {
    const server = await serve(await serviceOfUsers(3));
    const out = join(temporaryFolder(), name);
    const { code } = await run([...exportArgs(server, out), ...options]);
    expect([code, readFileSync(out, "utf8")]).toEqual([0, expected]);
  });

  test("fetches a compressed file as it is, and shows the job", async () => {
    const server = await serve(await serviceOfUsers(3));
    const out = join(temporaryFolder(), "users.csv.gz");
    const args = [...exportArgs(server, out), "--json", "--quiet"];
    const { stdout, stderr } = await run(args);
    expect([gunzipSync(readFileSync(out)).toString(), stderr]).toEqual([whole, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ type: "export", result: { rows: 3 } });
  });

  test("fetches an export that was made before, to standard output", async () => {
    const server = await serve(await serviceOfUsers(3));
    const out = join(temporaryFolder(), "users.csv");
    const made = await run(exportArgs(server, out));
    const [, job = ""] = /Export: (\S+)/.exec(made.stderr) ?? [];
    expect(await run(["export", "--from", job, "--out", "-"])).toMatchObject({ code: 0, stdout: whole });
    expect(server.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  test("fetches what only its principal may have", async () => {
    const ada: Principal = { id: "ada" };
    const server = await serve(userService({ auth: [bearer((token) => (token === "secret" ? ada : undefined))] }));
    const args = exportArgs(server, "-");
    expect((await run(args)).stderr).toMatch(/^401 /);
    expect(await run([...args, "--token", "secret"])).toMatchObject({ code: 0, stdout: "id,name\r\n" });
  });

  test("fetches the stream of a collection", async () => {
    const server = await serve(await serviceOfUsers(3));
    const { code, stdout } = await run(["export", "--from", `${server.origin}/users/export?id[lt]=4`, "--fields", "id,name", "--out", "-"]);
    expect([code, stdout]).toEqual([0, whole]);
  });

  test("says what is wrong, and leaves nothing behind", async () => {
    const server = await serve(await serviceOfUsers(1));
    const folder = temporaryFolder();
    const args = ["export", "--from", `${server.origin}/exports`, "--collection", "users", "--out", join(folder, "users.csv")];
    const { code, stderr } = await run([...args, "--filter", '{"nam":"Ada"}', "--sort", "agee"]);
    expect([code, readdirSync(folder)]).toEqual([1, []]);
    expect(stderr).toMatch(/^400 Bad Request .*: 2 problems were found\.\n {2}- .*"nam".*\n {4}pointer: \/filter\/nam\n/);
  });

  test.each([
    ["no file", ["--from", "http://127.0.0.1:1/exports", "--collection", "users"], "--out is missing"],
    ["no collection", ["--from", "http://127.0.0.1:1/exports", "--out", "-"], "--collection is missing"],
    [
      "a filter that is no JSON",
      ["--from", "http://127.0.0.1:1/exports", "--collection", "users", "--out", "-", "--filter", "id=1"],
      "--filter must be JSON",
    ],
    ["a filter of a stream", ["--from", "http://127.0.0.1:1/users/export", "--out", "-", "--filter", "{}"], "--filter is not possible here"],
    ["an order of what was made", ["--from", "http://127.0.0.1:1/exports/7", "--out", "-", "--sort", "id"], "--sort is not possible here"],
  ])("ends with 1 for %s", async (_, args, message) => {
    const { code, stderr } = await run(["export", ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe("an export in trouble", () => {
  /** A service whose downloads break off after so many bytes, so many times. */
  async function breaking(service: Service, bytes: number, times: number, path = "/download") {
    const handler = nodeHandler(service);
    const ranges: (string | undefined)[] = [];
    let left = times;
    const listener: Listener = (incoming, outgoing) => {
      if (incoming.url?.includes(path)) {
        ranges.push(incoming.headers.range);
        if (left-- > 0) breakOff(outgoing, bytes);
      }
      handler(incoming, outgoing);
    };
    return { server: await serve(listener), ranges };
  }

  function breakOff(outgoing: Parameters<Listener>[1], bytes: number): void {
    const write = outgoing.write.bind(outgoing);
    outgoing.write = (chunk: Uint8Array) => write(Buffer.from(chunk).subarray(0, bytes), () => outgoing.destroy());
    // A short answer would end in order before it breaks off.
    outgoing.end = () => outgoing;
  }

  test("goes on at the next byte when the download breaks off", async () => {
    const { server, ranges } = await breaking(await serviceOfUsers(3), 10, 3);
    const out = join(temporaryFolder(), "users.csv");
    const { code, stderr } = await run(exportArgs(server, out));
    expect([code, readFileSync(out, "utf8")]).toEqual([0, whole]);
    expect(ranges).toEqual([undefined, "bytes=10-", "bytes=20-", "bytes=30-"]);
    expect(stderr).toContain("Continuing at byte 10.");
  });

  test("begins a stream again when it breaks off, but not one that has gone out", async () => {
    const { server } = await breaking(await serviceOfUsers(3), 10, 1, "/users/export");
    const out = join(temporaryFolder(), "users.csv");
    expect((await run(["export", "--from", `${server.origin}/users/export`, "--fields", "id,name", "--out", out])).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(whole);
    const gone = await breaking(await serviceOfUsers(3), 10, 1, "/users/export");
    const { code, stderr } = await run(["export", "--from", `${gone.server.origin}/users/export`, "--out", "-"]);
    expect(code).toBe(1);
    expect(stderr).toContain("10 bytes were already written");
  });

  /** A finished export as a server shows it that keeps the text itself. */
  async function exported(text: string, sha256: string, listener: Listener) {
    return serve((incoming, outgoing) => {
      if (!incoming.url?.endsWith("/exports/1")) return listener(incoming, outgoing);
      const result = { rows: 1, bytes: text.length, sha256, downloadUrl: "/file", expiresAt: "2026-01-01T00:00:00.000Z" };
      outgoing.end(JSON.stringify({ id: "1", status: "completed", progress: 1, processedRows: 1, totalRows: 1, result, links: {} }));
    });
  }

  const hash = (text: string) => createHash("sha256").update(text).digest("hex");

  test("is refused where it is another file than the one that was written", async () => {
    const server = await exported("hello", hash("world"), (_, outgoing) => void outgoing.end("hello"));
    const out = join(temporaryFolder(), "users.csv");
    const { code, stderr } = await run(["export", "--from", `${server.origin}/exports/1`, "--out", out]);
    expect([code, existsSync(out)]).toEqual([1, false]);
    expect(stderr).toContain("its SHA-256 is different");
  });

  test("passes over what it has where a server knows no ranges", async () => {
    let isFirst = true;
    const server = await exported("hello world", hash("hello world"), (_, outgoing) => {
      outgoing.writeHead(200, { "content-length": 11 });
      outgoing.write("hello");
      if (isFirst) setTimeout(() => outgoing.destroy(), 20);
      else outgoing.end(" world");
      isFirst = false;
    });
    expect(await run(["export", "--from", `${server.origin}/exports/1`, "--out", "-"])).toMatchObject({ code: 0, stdout: "hello world" });
  });

  test("takes its credentials nowhere else", async () => {
    const seen: (string | undefined)[] = [];
    const store = await serve((incoming, outgoing) => {
      seen.push(incoming.headers.authorization, incoming.headers["x-api-key"] as string | undefined);
      outgoing.end("hello");
    });
    const server = await exported("hello", hash("hello"), (incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      outgoing.writeHead(302, { location: `${store.origin.replace("127.0.0.1", "localhost")}/file` }).end();
    });
    const args = ["export", "--from", `${server.origin}/exports/1`, "--out", "-", "--token", "secret", "--header", "X-API-Key: mine"];
    expect(await run(args)).toMatchObject({ code: 0, stdout: "hello" });
    expect(seen).toEqual(["Bearer secret", undefined, undefined]);
  });

  test("says so where the file is gone", async () => {
    const server = await exported("hello", hash("hello"), (_, outgoing) => {
      const problem = { status: 410, code: "EXPIRED", title: "Gone", detail: "The file was kept until yesterday." };
      outgoing.writeHead(410, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    });
    expect(await run(["export", "--from", `${server.origin}/exports/1`, "--out", "-"])).toMatchObject({
      code: 1,
      stderr: "410 Gone (EXPIRED): The file was kept until yesterday.\n",
    });
  });
});
