import { expect, test } from "vitest";
import { describeStores } from "./batchStores.js";
import { ndjson, sharedImports } from "./importStage.js";

/** So long that a hundred rows are a chunk. */
const padding = "-".repeat(5_200);
const ignoring = "unknownColumns=ignore";
const person = (number: number, more: object = {}) => ({ email: `p${number}@x.test`, name: `P${number}`, padding, ...more });
const people = (count: number) => Array.from({ length: count }, (_, index) => person(index));

describeStores("rows of different chunks", ({ open, hasTransactions }) => {
  const side = sharedImports(open);
  const ways = hasTransactions ? (["outcomeNow", "outcomeLater"] as const) : (["outcomeNow"] as const);

  test.each(ways)("are known to each other by their keys (%s)", async (way) => {
    const one = side();
    if (one.storage.jobs === undefined && way === "outcomeLater") return;
    const file = ndjson(...people(120), { ...person(7), email: "P7@x.test" }, person(200, { badge: "b" }), person(201, { badge: "b" }));
    const { counts, errors } = await one[way](ignoring, file);
    expect([counts, errors]).toEqual([
      [121, 0, 0, 2],
      [
        [121, 121, "DUPLICATE_EMAIL email"],
        [123, 123, "DUPLICATE_BADGE badge"],
      ],
    ]);
    const merged = await one[way](
      `${ignoring}&mode=upsert&key=email&skipUnchanged=true`,
      ndjson(...people(120), person(7, { age: 3 }), person(300), person(300, { age: 4 })),
    );
    expect([merged.counts, merged.errors]).toEqual([[1, 2, 120, 0], []]);
  });

  test.each(ways)("may name each other (%s)", async (way) => {
    const one = side();
    if (one.storage.jobs === undefined && way === "outcomeLater") return;
    const rows = Array.from({ length: 120 }, (_, index) => ({
      id: `n${String(index).padStart(3, "0")}`,
      parentId: index === 0 ? null : `n${String(index - 1).padStart(3, "0")}`,
      padding,
    }));
    const { counts, errors } = await one[way](
      `collection=nodes&${ignoring}`,
      ndjson(...rows, { id: "x", parentId: "n000" }, { id: "y", parentId: "z" }, { id: "z" }),
    );
    expect([counts, errors]).toEqual([[122, 0, 0, 1], [[122, 122, "UNKNOWN_REFERENCE parentId"]]]);
  });
});
