import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { fullService } from "../../../tools/fullService.js";
import { setUp } from "../../service/resources.js";

const type = "application/json-patch+json";
type Send = ReturnType<typeof clientOf>;

const patch = (send: Send, target: string, body: unknown, headers: Record<string, string> = {}) =>
  send({ method: "PATCH", target, headers: { "content-type": type, ...headers }, body });

async function withThing(body: object = {}) {
  const { send } = setUp();
  const created = await send({
    method: "POST",
    target: "/things",
    body: { name: "a", note: "n", address: { city: "x", zip: "1" }, tags: ["a", "b"], ...body },
  });
  expect(created.status, created.text).toBe(201);
  return { send, etag: String(created.headers["etag"]) };
}

describe("a JSON Patch", () => {
  test("changes what it names, atomically, and answers the row", async () => {
    const { send, etag } = await withThing();
    const answer = await patch(
      send,
      "/things/1",
      [
        { op: "test", path: "/name", value: "a" },
        { op: "replace", path: "/name", value: "b" },
        { op: "add", path: "/tags/-", value: "c" },
        { op: "remove", path: "/tags/0" },
        { op: "move", from: "/address/zip", path: "/address/city" },
        { op: "copy", from: "/name", path: "/nick" },
      ],
      { "if-match": etag },
    );
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(answer.json).toMatchObject({ name: "b", tags: ["b", "c"], address: { city: "1", zip: null }, nick: "b" });
    expect(answer.headers["etag"]).not.toBe(etag);
    expect((await patch(send, "/things/1", [{ op: "remove", path: "/nick" }], { "if-match": etag })).status).toBe(412);
  });

  test("a removed member becomes null, absent, its default, or is missed", async () => {
    const { send } = await withThing({ nick: "n", status: "paid" });
    const removed = await patch(
      send,
      "/things/1",
      ["/note", "/nick", "/status"].map((path) => ({ op: "remove", path })),
    );
    expect(removed.json).toMatchObject({ note: null, status: "open" });
    expect(removed.json).not.toHaveProperty("nick");
    expect((await patch(send, "/things/1", [{ op: "remove", path: "/name" }])).json.errors).toMatchObject([{ pointer: "/name" }]);
  });

  test("null is a value: where the schema has none, it is refused", async () => {
    const { send } = await withThing();
    expect((await patch(send, "/things/1", [{ op: "replace", path: "/note", value: null }])).json.note).toBeNull();
    expect((await patch(send, "/things/1", [{ op: "replace", path: "/name", value: null }])).status).toBe(422);
  });

  test.each<[string, unknown, number, string]>([
    ["no array", { op: "remove", path: "/name" }, 400, "PATCH_MALFORMED"],
    ["an unknown op", [{ op: "toString", path: "/name" }], 400, "PATCH_MALFORMED"],
    ["a failed test", [{ op: "test", path: "/name", value: "z" }], 409, "PATCH_CONFLICT"],
    ["a missing path", [{ op: "remove", path: "/nick" }], 409, "PATCH_CONFLICT"],
    ["an absurd index", [{ op: "add", path: "/tags/2147483648", value: 1 }], 409, "PATCH_CONFLICT"],
    ["a prototype token", [{ op: "add", path: "/__proto__/x", value: 1 }], 400, "PATCH_MALFORMED"],
    ["a root that is no object", [{ op: "replace", path: "", value: [] }], 422, "VALIDATION_FAILED"],
    ["an unknown member", [{ op: "add", path: "/nmae", value: 1 }], 422, "VALIDATION_FAILED"],
    ["a generated member", [{ op: "replace", path: "/createdAt", value: "2000-01-01T00:00:00Z" }], 422, "VALIDATION_FAILED"],
    ["a result that is not valid", [{ op: "replace", path: "/name", value: "" }], 422, "VALIDATION_FAILED"],
    ["101 operations", Array.from({ length: 101 }, () => ({ op: "test", path: "/name", value: "a" })), 400, "PATCH_MALFORMED"],
  ])("%s is refused, and the row stays as it was", async (_, body, status, code) => {
    const { send, etag } = await withThing();
    const started = process.cpuUsage();
    const first = { op: "replace", path: "/quantity", value: 7 };
    const whole = await patch(send, "/things/1", Array.isArray(body) ? [first, ...body] : body);
    expect(cpuMsSince(started)).toBeLessThan(1_000);
    expect([whole.status, whole.json.code], whole.text).toEqual([status, code]);
    const row = await send({ target: "/things/1" });
    expect([row.headers["etag"], row.json.quantity]).toEqual([etag, 1]);
  });

  test("bombs are refused in no time", async () => {
    const { send, etag } = await withThing({ extra: { a: Array.from({ length: 50 }, () => "x".repeat(50)) } });
    const bomb = Array.from({ length: 30 }, () => ({ op: "copy", from: "/extra", path: "/extra/b" }));
    const started = process.cpuUsage();
    const refused = await patch(send, "/things/1", bomb);
    expect(cpuMsSince(started)).toBeLessThan(1_000);
    expect([refused.status, refused.json.code]).toEqual([400, "PATCH_MALFORMED"]);
    expect((await send({ target: "/things/1" })).headers["etag"]).toBe(etag);
  });

  test("sees only what the principal may read: hidden members are not there to be tested or copied", async () => {
    const { send } = await withThing({ password: "p" });
    for (const path of ["/password", "/absent"]) {
      const tested = await patch(send, "/things/1", [{ op: "test", path, value: "p" }]);
      const copied = await patch(send, "/things/1", [{ op: "copy", from: path, path: "/nick" }]);
      expect([tested.status, copied.status]).toEqual([409, 409]);
    }
    expect((await patch(send, "/things/1", [{ op: "add", path: "/password", value: "q" }])).status).toBe(200);
  });

  test("is announced, and not taken where only merge patches are meant", async () => {
    const { send } = await withThing();
    const options = await send({ method: "OPTIONS", target: "/things/1" });
    expect(options.headers["accept-patch"]).toBe("application/merge-patch+json, application/json-patch+json, application/json");
    const array = await send({ method: "PATCH", target: "/things/1", body: [] });
    expect([array.status, array.json.code]).toEqual([422, "VALIDATION_FAILED"]);
  });
});

interface Case {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: readonly { readonly op: string; readonly path?: unknown; readonly from?: unknown }[];
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);
const cases = ["spec_tests.json", "tests.json"]
  .flatMap((name) => JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${name}`), "utf8")) as Case[])
  .filter(({ disabled, patch: operations }) => disabled !== true && operations !== undefined);

/** The cases' documents stand in a member of a row: their pointers begin one step further up. */
describe("the public suite, over HTTP", () => {
  const holders = defineResource("holders", { schema: z.object({ id: z.int(), doc: z.unknown() }), generated: { id: "increment" } });
  const below = (path: unknown) => (typeof path === "string" && (path === "" || path.startsWith("/")) ? `/doc${path}` : path);

  test.each(cases.map((each, index) => [`${index} ${each.comment ?? each.error ?? ""}`, each] as const))(
    "%s",
    async (_, { doc, patch: operations, expected, error }) => {
      const send = clientOf(fullService({ resources: [holders], storage: memoryStorage() }));
      const created = await send({ method: "POST", target: "/holders", body: { doc } });
      expect(created.status).toBe(201);
      const moved = operations.map((operation) => ({
        ...operation,
        ...("path" in operation ? { path: below(operation.path) } : {}),
        ...("from" in operation ? { from: below(operation.from) } : {}),
      }));
      const answer = await patch(send, "/holders/1", moved);
      if (error === undefined) {
        expect(answer.status, answer.text).toBe(200);
        if (expected !== undefined) expect(answer.json.doc).toEqual(expected);
      } else {
        expect([400, 409]).toContain(answer.status);
        expect((await send({ target: "/holders/1" })).headers["etag"]).toBe(created.headers["etag"]);
      }
    },
  );
});
