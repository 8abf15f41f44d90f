// @slow

import { expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { ndjsonChunks, sharedImports } from "./importStage.js";

const person = (number: number, more: object = {}) => ({ email: `p${number}@x.test`, name: `P${number}`, ...more });

describeStores("rows of different chunks", ({ open, hasTransactions }) => {
  const side = sharedImports(open);
  const ways = hasTransactions ? (["outcomeNow", "outcomeLater"] as const) : (["outcomeNow"] as const);

  test.each(ways)("are known to each other by their keys (%s)", async (way) => {
    const one = side();
    if (one.storage.jobs === undefined && way === "outcomeLater") return;
    const file = ndjsonChunks([person(1), person(2)], [{ ...person(1), email: "P1@x.test" }, person(3, { badge: "b" })], [person(4, { badge: "b" })]);
    const { counts, errors } = await one[way]("", file);
    expect([counts, errors]).toEqual([
      [3, 0, 0, 2],
      [
        [3, 3, "DUPLICATE_EMAIL email"],
        [5, 5, "DUPLICATE_BADGE badge"],
      ],
    ]);
    const again = ndjsonChunks(
      [person(1), person(2), person(5)],
      [person(1, { age: 3 }), { email: "P5@x.test", age: 4 }, { email: "P6@x.test", age: 4 }],
    );
    const merged = await one[way]("mode=upsert&key=email&skipUnchanged=true", again);
    expect([merged.counts, merged.errors]).toEqual([[1, 2, 2, 1], [[6, 6, "VALIDATION_FAILED name"]]]);
  });

  // A store without transactions cannot tell whether the row that is named stays: keys are not judged there.
  const judged = hasTransactions ? [[5, 0, 0, 1], [[5, 5, "UNKNOWN_REFERENCE parentId"]]] : [[6, 0, 0, 0], []];

  test.each(ways)("may name each other (%s)", async (way) => {
    const one = side();
    if (one.storage.jobs === undefined && way === "outcomeLater") return;
    const node = (id: string, parentId: string | null = null) => ({ id, parentId });
    const file = ndjsonChunks([node("a"), node("b", "a")], [node("c", "a"), node("d", "c")], [node("e", "z"), node("z", "b")]);
    const { counts, errors } = await one[way]("collection=nodes", file);
    expect([counts, errors]).toEqual(judged);
  });
});
