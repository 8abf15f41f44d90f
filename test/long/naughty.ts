import { parseArgs } from "node:util";
import { addressOf, sendNaughty } from "../corpora/sendNaughty.js";
import { corporaStage } from "../corpora/stage.js";
import { naughtyStrings } from "../corpora/strings.js";
import { randomOf } from "../fuzz/random.js";

/**
 * Sends naughty strings at every position of the requests to every operation, and prints what is wrong with an answer:
 * `npx tsx test/long/naughty.ts --strings 20 --seed 1 --only webhooks`. Without `--strings` every string is sent, which takes hours.
 */
const { values } = parseArgs({
  options: { strings: { type: "string" }, seed: { type: "string", default: "1" }, only: { type: "string", default: "" } },
});

const stage = corporaStage();
const addresses = stage.operations.map(addressOf).filter((address) => address.includes(values.only));
await stage.service.close();

const random = randomOf(Number(values.seed));
const count = values.strings === undefined ? undefined : Number(values.strings);
const sum = { requests: 0, positions: 0, faults: 0 };
const start = performance.now();
for (const address of addresses) {
  const { requests, positions, faults } = await sendNaughty(address, random, count);
  for (const fault of faults) console.log(fault);
  sum.requests += requests;
  sum.positions += positions;
  sum.faults += faults.length;
}
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(
  `${addresses.length} operations, ${sum.positions} positions, ${naughtyStrings.length} strings: ${sum.requests} requests in ${seconds} s, ${sum.faults} faults.`,
);
if (sum.faults > 0) process.exitCode = 1;
