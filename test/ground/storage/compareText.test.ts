// @slow

import { describe, expect, test } from "vitest";
import { compareText } from "../../../src/ground/storage/matches/compareText.js";

describe("long texts are compared as short ones are", () => {
  const characters = ["a", "b", "é", "\uff5e", "😀", "\u0000"];
  const lengths = [0, 1, 511, 512, 513, 1_024, 1_535, 70_000, 200_001];

  test.each(lengths)("behind %i common characters", (length) => {
    for (const filling of ["x", "é", "😀"]) {
      const common = filling.repeat(length);
      for (const left of ["", ...characters]) {
        for (const right of ["", ...characters]) {
          for (const rest of ["", "tail".repeat(300)]) {
            const [one, other] = [common + left + rest, common + right + rest];
            expect(Math.sign(compareText(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
          }
        }
      }
    }
  });
});
