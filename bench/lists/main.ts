import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { createService } from "restwright";
import { clientOf } from "../../test/tools/client.js";
import { insertRows } from "../tools/insertRows.js";
import { openStorage } from "../tools/openStorage.js";
import { makePlace } from "../tools/places.js";
import { describeRun } from "../tools/report.js";
import { casesOf, counts, lists } from "./cases.js";
import { entries, entryRows } from "./entries.js";
import { type MeasuredCase, measureCases } from "./measureCases.js";
import { heapBytes, tooManyRows } from "./memoryLimit.js";
import { readListOptions } from "./options.js";
import { formatCase, formatTable, type Measurement } from "./report.js";

const chunk = 10_000;

const { store, sizes, markdown, ...amount } = readListOptions();
const place = await makePlace(store, "lists");
try {
  const storage = await openStorage({ store, location: place.location });
  const shared = { resources: [entries], storage, secrets: [randomBytes(32).toString("base64url")] };
  const service = createService(shared);
  await service.start();
  const [send, distant] = [clientOf(service), clientOf(createService({ ...shared, limits: { offset: 100_000_000 } }))];
  const collection = storage.collection(entries.model);
  const emptyBytes = heapBytes();
  const measurements: Measurement[] = [];
  let present = 0;

  for (const size of sizes) {
    const reason = store === "memory" ? tooManyRows(size, present, emptyBytes) : undefined;
    if (reason !== undefined) {
      console.log(`memory: ${reason}`);
      break;
    }
    const begin = performance.now();
    for (; present < size; present += chunk) await insertRows(collection, entryRows(present, Math.min(present + chunk, size)));
    present = size;
    await place.analyze();
    console.log(`${store}: ${size} rows after ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
    const cases: MeasuredCase[] = [];
    for (const list of lists) {
      const all = await casesOf(list, size, send, distant);
      for (const count of counts) {
        const measured = await measureCases(
          all.filter((one) => one.count === count),
          send,
          amount,
        );
        for (const one of measured) console.log(formatCase(store, size, one));
        cases.push(...measured);
      }
    }
    measurements.push({ size, cases });
  }
  const run = describeRun(new Date());
  if (markdown) console.log(`\n${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatTable(store, measurements)}`);
  await service.close();
} finally {
  await place.remove();
}
