import { parseArgs } from "node:util";
import { attackedStores } from "../../attacks/attack.js";
import { attacks } from "../../attacks/attacks.js";
import { measurer } from "../../attacks/measureAttack.js";

/** Prints the longest hold of the event loop for each attack, the best of ten runs: `npx tsx test/long/load/attacks.ts --only batch`. */
const { values } = parseArgs({ options: { only: { type: "string", default: "" }, store: { type: "string" } } });

console.log("| attack | store | processor time | wall clock |\n|---|---|---|---|");
for (const store of attackedStores) {
  if (values.store !== undefined && values.store !== store) continue;
  const processes = measurer(store);
  for (const attack of attacks) {
    if (attack.stores?.includes(store) === false || !attack.name.includes(values.only)) continue;
    const told = await processes.measure(attack).then(
      ({ cpuMs, wallMs }) => `${cpuMs.toFixed(0)} ms | ${wallMs.toFixed(0)} ms`,
      (error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)} |`,
    );
    console.log(`| ${attack.name} | ${store} | ${told} |`);
  }
  await processes.end();
}
