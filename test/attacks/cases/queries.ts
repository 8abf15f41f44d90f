import { type Attack, type Attacker, expectStatus } from "../attack.js";

/** Nearly matches at every character of the text. */
const needle = `${"b".repeat(200)}y`;
const like = `bio[like]=${needle}`;
const batches = 3;

/** 3,000 users with 2,000 characters each. */
async function createUsers(attacker: Attacker): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const users = Array.from({ length: 1_000 }, (_, index) => ({
      name: `n${(index * 7_919) % 1_000}`,
      bio: "b".repeat(2_000),
      age: index % 90,
      tags: ["a", `t${index}`],
    }));
    expectStatus(await attacker.send("POST", "/users/batch", { body: JSON.stringify({ items: users }) }), 200, 201, 207);
  }
}

const ask = (name: string, method: string, path: string, body?: object): Attack => ({
  name: `query: ${name}`,
  prepare: createUsers,
  run: async (attacker) => expectStatus(await attacker.send(method, path, body === undefined ? {} : { body: JSON.stringify(body) }), 200),
});

const eightLikes = { or: Array.from({ length: 8 }, (_, index) => ({ bio: { like: `${"b".repeat(60)}${index}` } })) };

/** Reads that no index answers. */
export const queryAttacks: readonly Attack[] = [
  ask("like over long texts", "GET", `/users?${like}`),
  ask("a search of eight likes", "POST", "/searches", { collection: "users", filter: eightLikes }),
  ask("a pattern of five wildcards", "GET", `/users?bio[like]=${encodeURIComponent(`*${"b".repeat(60)}*${"b".repeat(60)}*${"b".repeat(60)}*x*`)}`),
  ask("q of ten terms", "GET", `/users?q=${Array.from({ length: 10 }, (_, index) => `${"b".repeat(15)}${index}`).join("+")}`),
  ask("an array that holds a value", "GET", "/users?tags=none&sort=name"),
  ask("a sort by a field without an index, counted exactly", "GET", "/users?sort=-name,age&count=exact&perPage=100&fields=id"),
  ask("an export by a pattern", "GET", `/users/export?${like}&sort=name`),
  ask("how many rows a removal would match", "DELETE", `/users?dryRun=true&${like}`),
];
