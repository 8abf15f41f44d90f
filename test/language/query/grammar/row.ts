import { describe, expect, test } from "vitest";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { parse, refusal } from "../language.js";

type Accepted = readonly (readonly [query: string, filter: Filter | undefined])[];
type Refused = readonly (readonly [query: string, code: string])[];

/** One row of the table of ambiguities: what its rule accepts and what it refuses. */
export function row(name: string, accepted: Accepted, refused: Refused = []): void {
  describe(name, () => {
    if (accepted.length > 0) {
      test.each(accepted)("%s", (query, filter) => {
        expect(parse(query).filter).toEqual(filter);
      });
    }
    if (refused.length > 0) {
      test.each(refused)("%s is refused with %s", (query, code) => {
        expect(refusal(query)).toMatchObject({ status: 400, code });
      });
    }
  });
}
