import { type Attack, type Attacker, expectStatus } from "../attack.js";

/** Just below the largest JSON body. */
const bytes = 1_040_000;
const manyMembers = 900;

const members = (count: number, value: string) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, value]));
const text = "é".repeat(bytes / 2);
const nested = (depth: number, copies: number) =>
  `[${Array(copies)
    .fill("[".repeat(depth) + "]".repeat(depth))
    .join(",")}]`;

const post = (path: string, body: string | object, ...expected: readonly number[]) => {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return async (attacker: Attacker) => expectStatus(await attacker.send("POST", path, { body: sent }), ...expected);
};

async function createDocument(attacker: Attacker, document: object): Promise<void> {
  expectStatus(await attacker.send("POST", "/documents", { body: JSON.stringify(document) }), 201);
}

const patchDocument = async (attacker: Attacker, type: string, body: unknown, ...expected: readonly number[]) =>
  expectStatus(await attacker.send("PATCH", "/documents/1", { type, body: JSON.stringify(body) }), ...expected);

/** Single JSON bodies at the limits. */
export const bodyAttacks: readonly Attack[] = [
  { name: "body: 1 MB of one text", run: post("/documents", { text }, 201) },
  { name: "body: 20,000 values", run: post("/documents", { data: Array(19_990).fill(0.5) }, 201) },
  {
    name: "body: 6,000 empty objects in 1 MB",
    run: post(
      "/documents",
      `{"data":[${Array(6_000)
        .fill(`{"a":1${" ".repeat(150)}}`)
        .join(",")}]}`,
      201,
    ),
  },
  { name: "body: a record of 900 members of 1 KB", run: post("/documents", { record: members(manyMembers, "x".repeat(1_100)) }, 201) },
  { name: "body: 900 members of the schema", run: post("/wides", members(manyMembers, "x".repeat(1_100)), 201) },
  {
    name: "body: 900 members of a wrong type",
    run: post("/wides", Object.fromEntries(Object.keys(members(manyMembers, "")).map((name) => [name, 1])), 422),
  },
  { name: "body: 900 unknown members", run: post("/users", { name: "Ada", ...members(manyMembers, "x".repeat(1_100)) }, 422) },
  { name: "body: 300 arrays nested 60 deep", run: post("/documents", `{"data":${nested(60, 300)}}`, 201) },
  { name: "body: 1 MB of brackets", run: post("/documents", "[".repeat(bytes), 400) },
  {
    name: "body: 1 MB of flat brackets",
    run: post(
      "/documents",
      `[${Array(Math.floor(bytes / 3))
        .fill("[]")
        .join(",")}]`,
      400,
    ),
  },
  { name: "body: 1 MB broken at its end", run: post("/documents", `{"text":"${"x\\n".repeat(340_000)}",}`, 400) },
  { name: "body: 1 MB of lines, broken at the end", run: post("/documents", `{\n${'"a":1,\n'.repeat(140_000)}}`, 400) },
  {
    name: "patch: merge patch of 1 MB",
    prepare: (attacker) => createDocument(attacker, { record: members(manyMembers, "x".repeat(500)) }),
    run: (attacker, run) => patchDocument(attacker, "application/merge-patch+json", { record: members(manyMembers, String(run).repeat(1_100)) }, 200),
  },
  {
    name: "patch: 100 copies of an array of 9,000 values",
    prepare: (attacker) => createDocument(attacker, { data: [Array(9_000).fill(1.5)] }),
    run: (attacker) =>
      patchDocument(
        attacker,
        "application/json-patch+json",
        Array(100).fill({ op: "copy", from: "/data/0", path: "/data/-" }),
        200,
        400,
        409,
        413,
        422,
      ),
  },
  {
    name: "patch: 100 insertions before 19,000 values",
    prepare: (attacker) => createDocument(attacker, { data: Array(19_000).fill(1.5) }),
    run: (attacker, run) =>
      patchDocument(attacker, "application/json-patch+json", Array(100).fill({ op: "add", path: "/data/0", value: run }), 200, 400, 409, 413, 422),
  },
  {
    name: "patch: 100 tests of 190 KB",
    prepare: (attacker) => createDocument(attacker, { data: Array(19_000).fill("0123456789") }),
    run: (attacker) =>
      patchDocument(attacker, "application/json-patch+json", Array(100).fill({ op: "test", path: "/data", value: [1] }), 200, 409, 422),
  },
];
