// @slow

import type { Logger } from "restwright";
import { afterEach, expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { openTheatre, waysOut } from "./stage.js";

describeStores(
  "rules that read other rows without a lock",
  ({ open, name }) => {
    const lines: string[] = [];
    const logger: Logger = { error: () => {}, warn: (_, message) => void lines.push(message), info: () => {}, debug: () => {} };
    afterEach(() => {
      lines.length = 0;
    });

    test("are named once each where other transactions may write", async () => {
      const theatre = await openTheatre({}, open, { logger });
      for (const show of [1, 2, 2]) {
        await theatre.bySeat(show);
        await theatre.byAction(show);
      }
      await theatre.close();
      if (!name.startsWith("PostgreSQL")) return expect(lines).toEqual([]);
      expect(lines).toHaveLength(2);
      for (const way of ["tx.lock", '"isolation": "serializable"', '"concurrent": true']) expect(lines.join()).toContain(way);
      expect(lines[0]).toContain('in "beforeWrite" of "seats": call');
      expect(lines[1]).toContain('in chairs: the action "take": call');
    });

    test.each([...waysOut, ["the word of the developer", { concurrent: true }] as const])("are not named with %s", async (_, wayOut) => {
      const theatre = await openTheatre(wayOut, open, { logger });
      await theatre.bySeat(1);
      await theatre.byAction(1);
      await theatre.close();
      expect(lines).toEqual([]);
    });
  },
  ({ hasTransactions, name }) => hasTransactions && !name.includes("required methods"),
);
