import { executeBatch } from "restwright/batch";
import { wholeNumber } from "../tools/wholeNumber.js";

const items = Array.from({ length: 100_000 }, (_, index) => index);
const run = async (item: number) => ({ status: 201, id: item });

/** Ways to do trivial items one after the other. */
const runners: Readonly<Record<string, () => Promise<unknown>>> = {
  "executeBatch best-effort": () => executeBatch(items, { mode: "best-effort", run }),
  "a loop that awaits": async () => {
    const results = [];
    for (const [index, item] of items.entries()) results.push({ index, ...(await run(item)) });
    return results;
  },
};

const warmUpRounds = 2;
const rounds = wholeNumber("rounds", process.argv[2] ?? "");
const figures = new Map(Object.keys(runners).map((name): [string, number[]] => [name, []]));
for (let round = -warmUpRounds; round < rounds; round++) {
  for (const [name, does] of Object.entries(runners)) {
    const before = process.cpuUsage();
    await does();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) figures.get(name)?.push((user + system) / items.length);
  }
}
process.send?.([...figures]);
process.disconnect?.();
