import { createHash } from "node:crypto";
import { belongsTo, createService, defineResource, type Resource } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { rename, versions } from "restwright/versions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TransactionCollections } from "../../../src/engine/calls/index.js";
import { clientOf } from "../../tools/client.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import { csv, merge, type Told } from "./hookStage.js";

const hash = (password: string) => `hashed ${createHash("sha256").update(password).digest("hex").slice(0, 8)}`;
const jsonPatch = { "content-type": "application/json-patch+json" };

/** Users whose password is hashed, whichever way it comes. */
async function userStage({ open }: { open: Parameters<Parameters<typeof describeStores>[1]>[0]["open"] }) {
  const { storage, end } = await open();
  const schema = z
    .object({
      id: z.int(),
      email: z.string().transform(async (text) => text.toLowerCase()),
      password: z.string().refine(async (text) => text.length > 2, "Too short."),
      age: z.int().optional(),
      full: z.string().optional(),
    })
    .refine(async ({ age }) => age !== 13, "Not thirteen.");
  const users = defineResource("users", {
    schema,
    generated: { id: "increment" },
    unique: ["email"],
    access: { password: { read: false } },
    versions: { v1: [rename({ from: "full", to: "fullName", type: z.string().optional() })] },
    hooks: {
      beforeWrite: (async ({ changes }: Told) => (changes?.password === undefined ? undefined : { password: hash(changes.password) })) as never,
    },
  });
  const removed: number[] = [];
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), userId: z.int(), text: z.string() }),
    generated: { id: "increment" },
    relations: { user: belongsTo("users", "userId", { enforce: true, onDelete: "cascade" }) },
    hooks: {
      beforeWrite: (({ kind, before }: Told) => {
        if (kind === "remove") removed.push(before.userId);
      }) as never,
    },
  });
  const service = createService({
    resources: [users, notes] as readonly Resource[],
    storage,
    logger: false,
    secrets: ["a secret of the service itself, long enough"],
    use: [
      hooks(),
      jobs({ pollMs: 5 }),
      batch(),
      transfer({ blobs: memoryBlobs() }),
      versions({ vendor: "shop", schema: "v2", default: "v2", supported: { v1: {}, v2: {} } }),
    ],
  });
  await service.start();
  const client = clientOf(service);
  const rows = storage.collection(users.model);
  return {
    users,
    notes,
    removed,
    system: service.asSystem() as unknown as TransactionCollections,
    send: (method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>) => client({ method, target, body, headers }),
    stored: async (id: number) => (await rows.get(id, {})) as unknown as Record<string, unknown>,
    close: async () => {
      await service.close();
      await end();
    },
  };
}

describeStores(
  "a password that a hook hashes",
  (store) => {
    let stage: Awaited<ReturnType<typeof userStage>>;
    let number = 0;
    const email = () => `User${number++}@Example.com`;
    beforeAll(async () => {
      stage = await userStage(store);
    });
    afterAll(() => stage.close());

    /** The ways to set a password; each answers the id of the row. */
    const ways: readonly [string, (password: string, id: number) => Promise<number>][] = [
      ["POST", async (password) => (await stage.send("POST", "/users", { email: email(), password })).json.id],
      ["PUT", async (password, id) => (await stage.send("PUT", `/users/${id}`, { email: email(), password })).json.id],
      ["a merge patch", async (password, id) => (await stage.send("PATCH", `/users/${id}`, { password }, merge)).json.id],
      [
        "a JSON Patch",
        async (password, id) => (await stage.send("PATCH", `/users/${id}`, [{ op: "add", path: "/password", value: password }], jsonPatch)).json.id,
      ],
      [
        "a batch create",
        async (password) => (await stage.send("POST", "/users/batch", { items: [{ email: email(), password }] })).json.results[0].id,
      ],
      [
        "a batch update",
        async (password, id) => (await stage.send("PATCH", "/users/batch", { items: [{ id, changes: { password } }] })).json.results[0].id,
      ],
      [
        "an update by filter",
        async (password, id) => {
          const { status } = await stage.send("POST", `/users/bulk-update?id=${id}`, { password });
          return status === 200 ? id : 0;
        },
      ],
      [
        "an import that inserts",
        async (password) => {
          const own = email();
          await stage.send("POST", "/users/import", `email,password\n${own},${password}\n`, csv);
          return (await stage.send("GET", `/users?email=${own.toLowerCase()}`)).json.data[0].id;
        },
      ],
      [
        "an import that updates",
        async (password, id) => {
          const { json } = await stage.send("POST", "/users/import?mode=upsert&key=id", JSON.stringify([{ id, password }]), {});
          return json.result.updated === 1 ? id : 0;
        },
      ],
      ["code", async (password) => ((await stage.system.of(stage.users).create({ email: email(), password })) as { id: number }).id],
      ["an update from code", async (password, id) => ((await stage.system.of(stage.users).update(id, { password })) as { id: number }).id],
      [
        "an older version of the API",
        async (password, id) =>
          (await stage.send("PATCH", `/users/${id}`, { password, fullName: "Ada" }, { ...merge, "x-api-version": "v1" })).json.id,
      ],
    ];

    test.each(ways)("by %s is hashed once, stays when another field changes, and is never shown", async (_, set) => {
      const before = (await stage.send("POST", "/users", { email: email(), password: "first" })).json.id;
      const id = await set("new password", before);
      expect((await stage.stored(id))["password"]).toBe(hash("new password"));
      const other = await stage.send("PATCH", `/users/${id}`, { age: 30 }, merge);
      expect([other.status, other.json.age, other.text.includes("hashed")]).toEqual([200, 30, false]);
      expect((await stage.send("PUT", `/users/${id}`, { email: email(), age: 31 })).status).toBe(200);
      await stage.send("PATCH", "/users/batch", { items: [{ id, changes: { age: 32 } }] });
      await stage.send("PATCH", `/users/${id}`, { fullName: "Eve" }, { ...merge, "x-api-version": "v1" });
      expect(await stage.stored(id)).toMatchObject({ password: hash("new password"), age: 32, full: "Eve" });
      expect((await stage.send("GET", `/users/${id}`)).text).not.toContain("password");
    });

    test("async refinements and transforms hold on all ways", async () => {
      const id = (await stage.send("POST", "/users", { email: email(), password: "first" })).json.id;
      expect((await stage.stored(id))["email"]).toMatch(/^user\d+@example.com$/);
      const answers = [
        await stage.send("POST", "/users", { email: email(), password: "x" }),
        await stage.send("PUT", `/users/${id}`, { email: email(), password: "x" }),
        await stage.send("PATCH", `/users/${id}`, { age: 13 }, merge),
        await stage.send("PATCH", `/users/${id}`, [{ op: "add", path: "/age", value: 13 }], jsonPatch),
      ];
      expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
      const made = await stage.send("POST", "/users/batch", {
        items: [
          { email: email(), password: "x" },
          { email: email(), password: "long", age: 13 },
        ],
      });
      expect(made.json.results.map(({ status }: { status: number }) => status)).toEqual([422, 422]);
      expect((await stage.send("POST", "/users/import", `email,password,age\n${email()},long,13\n`, csv)).json.result).toMatchObject({ failed: 1 });
      await expect(stage.system.of(stage.users).update(id, { age: 13 })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    });

    test("rows that a removal takes along run their own hooks", async () => {
      const id = (await stage.send("POST", "/users", { email: email(), password: "first" })).json.id;
      for (const text of ["a", "b"]) await stage.send("POST", "/notes", { userId: id, text });
      expect((await stage.send("DELETE", `/users/${id}`)).status).toBe(204);
      expect(stage.removed).toEqual([id, id]);
    });
  },
  ({ name, hasTransactions }) => hasTransactions && !name.includes("required"),
);
