import { type Attack, type Attacker, expectStatus } from "../attack.js";
import { makeUsers } from "./batches.js";

const get = (path: string, ...expected: readonly number[]) => ({
  run: async (attacker: Attacker) => expectStatus(await attacker.send("GET", path), ...expected),
});

/** Makes documents one by one. */
export async function makeDocuments(attacker: Attacker, count: number, document: object): Promise<void> {
  const body = JSON.stringify(document);
  for (let made = 0; made < count; made++)
    expectStatus(await attacker.send("POST", "/documents", { body, headers: { prefer: "return=minimal" } }), 201);
}

async function makeOrders(attacker: Attacker, users: number, ordersEach: number): Promise<void> {
  await makeUsers(attacker, users, "");
  for (let user = 1; user <= users; user += 10) {
    const items = Array.from({ length: 10 * ordersEach }, (_, index) => ({ userId: user + (index % 10), total: index, note: "n".repeat(100) }));
    expectStatus(await attacker.send("POST", "/orders/batch", { body: JSON.stringify({ items }), headers: { prefer: "return=minimal" } }), 200);
  }
}

/** Lists with large answers and long questions. */
export const listAttacks: readonly Attack[] = [
  {
    name: "list: 100 rows of 1 MB",
    prepare: (attacker) => makeDocuments(attacker, 100, { text: "x".repeat(1_000_000) }),
    ...get("/documents?perPage=100", 200),
  },
  {
    name: "list: 100 rows of 1 MB in an order without an index",
    prepare: (attacker) => makeDocuments(attacker, 100, { text: "x".repeat(1_000_000) }),
    ...get("/documents?perPage=100&sort=-text", 200),
  },
  {
    name: "list: 100 rows of 1 MB by a pattern",
    prepare: (attacker) => makeDocuments(attacker, 100, { text: `${"x".repeat(1_000_000)}y` }),
    ...get("/documents?perPage=100&text[like]=*y", 200),
  },
  {
    name: "list: ten pages at once of 100 rows of 100 KB",
    prepare: (attacker) => makeDocuments(attacker, 100, { text: "x".repeat(100_000) }),
    run: async (attacker) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => attacker.send("GET", "/documents?perPage=100")));
      for (const answer of answers) expectStatus(answer, 200);
    },
  },
  {
    name: "list: 100 rows of 10,000 values",
    prepare: (attacker) => makeDocuments(attacker, 100, { data: Array(10_000).fill(1.5) }),
    ...get("/documents?perPage=100", 200),
  },
  {
    name: "list: 100 rows of 900 members",
    prepare: async (attacker) => {
      const items = Array(100).fill(Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`m${index}`, "0123456789"])));
      expectStatus(await attacker.send("POST", "/wides/batch", { body: JSON.stringify({ items }) }), 200);
    },
    ...get("/wides?perPage=100", 200),
  },
  { name: "read: a row of 1 MB", prepare: (attacker) => makeDocuments(attacker, 1, { text: "x".repeat(1_000_000) }), ...get("/documents/1", 200) },
  {
    name: "read: a row of 19,000 values",
    prepare: (attacker) => makeDocuments(attacker, 1, { data: Array(19_000).fill(1.5) }),
    ...get("/documents/1", 200),
  },
  {
    name: "list: 100 rows with 100 related rows each",
    prepare: (attacker) => makeOrders(attacker, 100, 100),
    ...get("/users?perPage=100&include=orders", 200),
  },
  {
    name: "list: 30 lists of 100 values",
    stores: ["memory"],
    prepare: (attacker) => makeUsers(attacker, 1_000, ""),
    run: async (attacker) => {
      const list = Array.from({ length: 100 }, (_, index) => `b${index}`);
      const filter = { or: Array.from({ length: 29 }, () => ({ bio: list })) };
      expectStatus(await attacker.send("POST", "/searches", { body: JSON.stringify({ collection: "users", filter, perPage: 100 }) }), 200);
    },
  },
  {
    name: "list: 100 parameters of 80 bytes",
    ...get(`/users?${Array.from({ length: 100 }, (_, index) => `name[${index}]=${"x".repeat(60)}`).join("&")}`, 400),
  },
  { name: "list: a target of 8 KB of percent signs", ...get(`/users?name=${"%25".repeat(2_700)}`, 400) },
];
