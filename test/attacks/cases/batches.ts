import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type Attacker, expectStatus } from "../attack.js";

/** Just below the largest body of a batch, and its most values. */
const bytes = 10_400_000;
const values = 490_000;
const manyMembers = 900;

const wide = (value: string) => Object.fromEntries(Array.from({ length: manyMembers }, (_, index) => [`m${index}`, value]));
const itemsOf = (count: number, item: unknown) => `{"items":[${Array(count).fill(JSON.stringify(item)).join(",")}]}`;

const post = (path: string, body: string, ...expected: readonly number[]) => ({
  run: async (attacker: Attacker) => expectStatus(await attacker.send("POST", path, { body }), ...expected),
});
const postStrict = (path: string, body: string, ...expected: readonly number[]) => ({
  run: async (attacker: Attacker) => expectStatus(await attacker.send("POST", path, { body, headers: { prefer: "handling=strict" } }), ...expected),
});

const wideItems = itemsOf(Math.floor(values / (manyMembers + 1)), wide("0123456789"));
const wrongWideItems = itemsOf(Math.floor(values / (manyMembers + 1)), { ...wide("0123456789"), m0: 1 });
const longItems = itemsOf(1_000, { text: "x".repeat(10_300) });
const wideRecords = itemsOf(Math.floor(values / (manyMembers + 2)), { record: wide("0123456789") });

/** Sends a batch as a job, and waits for its end. */
const postAsJob = (path: string, body: string, prefer: string) => ({
  run: async (attacker: Attacker) => {
    const accepted = await attacker.send("POST", path, { body, headers: { prefer: `respond-async, return=minimal, ${prefer}` } });
    expectStatus(accepted, 202);
    for (;;) {
      const job = await attacker.send("GET", accepted.headers.get("location") ?? "");
      expectStatus(job, 200);
      const { status } = job.json() as { readonly status: string };
      if (status === "completed") return;
      if (status === "failed") throw new Error(`The job failed: ${Buffer.from(job.bytes).toString("utf8", 0, 500)}`);
      await sleep(20);
    }
  },
});

/** Makes users with a text of so many characters. */
export async function makeUsers(attacker: Attacker, count: number, bio: string, portion = 1_000): Promise<void> {
  for (let made = 0; made < count; made += portion) {
    const items = Array.from({ length: Math.min(portion, count - made) }, (_, index) => ({ name: `user ${made + index}`, bio }));
    expectStatus(await attacker.send("POST", "/users/batch", { body: JSON.stringify({ items }), headers: { prefer: "return=minimal" } }), 200);
  }
}

const operations = (list: readonly unknown[]) => JSON.stringify({ operations: list });

/** Batches at the limits of their bodies and items. */
export const batchAttacks: readonly Attack[] = [
  { name: "batch: 10 MB of 900-member objects", ...post("/wides/batch", wideItems, 200) },
  { name: "batch: 10 MB of 900-member objects, all or none", ...postStrict("/wides/batch", wideItems, 200) },
  { name: "batch: 10 MB of 900-member objects, all of them wrong", ...post("/wides/batch", wrongWideItems, 207) },
  { name: "batch: 10 MB of records of 900 members", ...post("/documents/batch", wideRecords, 200) },
  { name: "batch: 1,000 rows of 10 KB", ...post("/documents/batch", longItems, 200) },
  { name: "batch: 1,000 small rows", ...post("/users/batch", itemsOf(1_000, { name: "Ada" }), 200) },
  {
    name: "batch: 1,000 items that are wrong everywhere",
    ...post("/users/batch", itemsOf(1_000, { name: 1, email: "no", bio: 2, age: "x", tags: 3, other: 4 }), 207),
  },
  { name: "batch: one item of 10 MB", ...post("/documents/batch", itemsOf(1, { text: "x".repeat(bytes) }), 200, 207) },
  {
    name: "batch: one item of 490,000 values",
    ...post("/documents/batch", itemsOf(1, { data: Array(values).fill(1) }), 200, 207, 400),
  },
  { name: "batch: 10 items of 1 MB", ...post("/documents/batch", itemsOf(10, { text: "x".repeat(1_040_000) }), 200) },
  {
    name: "batch: 10 items of 1 MB, all or none",
    ...postStrict("/documents/batch", itemsOf(10, { text: "x".repeat(1_040_000) }), 200),
  },
  { name: "batch: 24 items of 19,900 values", ...post("/documents/batch", itemsOf(24, { data: Array(19_900).fill(1) }), 200) },
  {
    name: "batch: 10 items of 1 MB as a job",
    ...postAsJob("/documents/batch", itemsOf(10, { text: "x".repeat(1_040_000) }), "handling=lenient"),
  },
  { name: "batch: 1,000 rows of 10 KB as a job, all or none", ...postAsJob("/documents/batch", longItems, "handling=strict") },
  {
    name: "batch: 10 MB of 900-member objects as a job",
    ...postAsJob("/wides/batch", wideItems, "handling=lenient"),
  },
  { name: "batch: 10 MB broken at the end", ...post("/documents/batch", `${longItems.slice(0, -2)},]}`, 400) },
  { name: "batch: too many items in 10 MB", ...post("/documents/batch", itemsOf(400_000, {}), 413) },
  { name: "batch: too many values in 10 MB", ...post("/documents/batch", itemsOf(1_000, { data: Array(5_000).fill(1) }), 400) },
  {
    name: "batch: 10 MB of brackets",
    ...post(
      "/documents/batch",
      `{"items":[${Array(Math.floor(bytes / 4))
        .fill("[]")
        .join(",")}]}`,
      400,
      413,
    ),
  },
  {
    name: "batch: PATCH of 500 rows of 20 KB",
    prepare: (attacker) => makeUsers(attacker, 500, "b".repeat(20_000), 250),
    run: async (attacker, run) => {
      const items = Array.from({ length: 500 }, (_, index) => ({ id: index + 1, changes: { bio: String(run).repeat(20_000) } }));
      expectStatus(await attacker.send("PATCH", "/users/batch", { body: JSON.stringify({ items }) }), 200);
    },
  },
  {
    name: "batch: 1,000 merge patches",
    prepare: (attacker) => makeUsers(attacker, 1_000, ""),
    run: async (attacker, run) => {
      const items = Array.from({ length: 1_000 }, (_, index) => ({ id: index + 1, changes: { bio: `b${run}` } }));
      expectStatus(await attacker.send("PATCH", "/users/batch", { body: JSON.stringify({ items }) }), 200);
    },
  },
  {
    name: "batch: update of 1,000 rows by filter",
    prepare: (attacker) => makeUsers(attacker, 1_000, "b".repeat(2_000)),
    run: async (attacker, run) =>
      expectStatus(
        await attacker.send("POST", "/users/bulk-update?id[gte]=1", { body: JSON.stringify({ age: run }), type: "application/merge-patch+json" }),
        200,
      ),
  },
  {
    name: "batch: 1,000 deletions",
    prepare: (attacker) => makeUsers(attacker, 5_000, "b".repeat(2_000)),
    run: async (attacker, run) => {
      const ids = Array.from({ length: 1_000 }, (_, index) => run * 1_000 + index + 1);
      expectStatus(
        await attacker.send("POST", "/users/batch-delete", { body: JSON.stringify({ ids }), headers: { prefer: "return=representation" } }),
        200,
      );
    },
  },
  {
    name: "/batch: 100 creates of 100 KB",
    ...post("/batch", operations(Array(100).fill({ method: "POST", url: "/documents", body: { text: "x".repeat(100_000) } })), 200),
  },
  {
    name: "/batch: 100 creates, all or none",
    ...postStrict("/batch", operations(Array(100).fill({ method: "POST", url: "/documents", body: { text: "x".repeat(100_000) } })), 200),
  },
  {
    name: "/batch: 100 creates of 900 members",
    ...post("/batch", operations(Array(100).fill({ method: "POST", url: "/wides", body: wide("x".repeat(100)) })), 200),
  },
  {
    name: "/batch: 25 creates of 19,900 values",
    ...post("/batch", operations(Array(25).fill({ method: "POST", url: "/documents", body: { data: Array(19_900).fill(1) } })), 200),
  },
  {
    name: "/batch: 10 creates of 1 MB, all or none",
    ...postStrict("/batch", operations(Array(10).fill({ method: "POST", url: "/documents", body: { text: "x".repeat(1_040_000) } })), 200),
  },
  {
    name: "/batch: one part of 10 MB",
    run: async (attacker) => {
      const body = JSON.stringify({ text: "x".repeat(bytes) });
      const part = `--b\r\ncontent-type: application/http\r\n\r\nPOST /documents HTTP/1.1\r\ncontent-type: application/json\r\n\r\n${body}\r\n`;
      expectStatus(await attacker.send("POST", "/batch", { type: "multipart/mixed; boundary=b", body: `${part}--b--\r\n` }), 207);
    },
  },
  {
    name: "/batch: 100 lists of 100 rows",
    prepare: (attacker) => makeUsers(attacker, 1_000, "b".repeat(500)),
    ...post("/batch", operations(Array(100).fill({ method: "GET", url: "/users?perPage=100" })), 200),
  },
  {
    name: "/batch: 100 reads of 100 KB",
    prepare: async (attacker) =>
      expectStatus(await attacker.send("POST", "/documents", { body: JSON.stringify({ text: "x".repeat(100_000) }) }), 201),
    ...post("/batch", operations(Array(100).fill({ method: "GET", url: "/documents/1" })), 200),
  },
  {
    name: "/batch: 100 searches by q",
    prepare: (attacker) => makeUsers(attacker, 1_000, "b".repeat(200)),
    ...post("/batch", operations(Array(100).fill({ method: "GET", url: "/users?q=zzz" })), 200),
  },
  {
    name: "/batch: 100 parts of multipart",
    run: async (attacker) => {
      const body = JSON.stringify({ text: "x".repeat(100_000) });
      const part = `--b\r\ncontent-type: application/http\r\n\r\nPOST /documents HTTP/1.1\r\ncontent-type: application/json\r\n\r\n${body}\r\n`;
      expectStatus(await attacker.send("POST", "/batch", { type: "multipart/mixed; boundary=b", body: `${part.repeat(100)}--b--\r\n` }), 200);
    },
  },
  {
    name: "/batch: 10 MB of multipart without an end",
    run: async (attacker) =>
      expectStatus(await attacker.send("POST", "/batch", { type: "multipart/mixed; boundary=b", body: `--b\r\n${"\r\n--".repeat(bytes / 4)}` }), 400),
  },
];
