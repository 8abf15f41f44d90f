import assert from "node:assert/strict";
import type { Filter, FilterOp } from "../../../ground/storage/filter.js";
import { matchingIds } from "../assertions.js";
import type { Needs, Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";

/** A filter and the ids of the rows that match it. */
export interface FilterCase {
  readonly name: string;
  readonly filter: Filter;
  readonly ids: readonly string[];
}

/** Tests `find` and `count` with one filter on shared rows. */
export function filterScenario({ name, filter, ids }: FilterCase, prepare: (stage: Stage) => Promise<Items>): Scenario {
  return {
    name,
    needs: needsOf(filter),
    async run(stage) {
      const { rows } = await prepare(stage);
      assert.deepStrictEqual(await matchingIds(rows, filter), [...ids].sort());
      assert.equal(await rows.count(filter, {}), ids.length, "count");
    },
  };
}

function needsOf(filter: Filter): Needs {
  const filters = withParts(filter);
  const folds = filters.some((part) => part.op === "search" || (part.op === "like" && part.fold === true));
  return { ops: [...new Set(filters.map((part): FilterOp => part.op))], unicodeFold: folds ? true : undefined };
}

function withParts(filter: Filter): readonly Filter[] {
  if (filter.op === "and" || filter.op === "or") return [filter, ...filter.args.flatMap(withParts)];
  if (filter.op === "related") return [filter, ...withParts(filter.filter)];
  return filter.op === "not" ? [filter, ...withParts(filter.arg)] : [filter];
}
