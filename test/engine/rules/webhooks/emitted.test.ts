import { ConfigurationError } from "restwright";
import { expect, test } from "vitest";
import { describeHooks } from "./hookStage.js";

describeHooks("a custom event", (on) => {
  const event = { type: "report.ready", data: { text: "report" } };
  const of = (row: object) => ({ ...event, of: { collection: "notes", row: { id: 1, ownerId: "ann", ...row } } });

  test(
    "about a row is sent to those who may read the row; without one to all",
    on(async (stage) => {
      for (const who of ["ann", "bob"]) await stage.listen(who, { events: ["report.*"] });
      await stage.service.emit(of({}));
      await stage.settle();
      expect([stage.heard("ann"), stage.heard("bob")]).toEqual([["report.ready report"], []]);
      await stage.service.emit(event);
      await stage.service.emit({ ...event, of: { collection: "open", row: { id: 1 } } });
      await stage.settle();
      expect([stage.heard("ann").length, stage.heard("bob").length]).toEqual([3, 2]);
    }),
  );

  test(
    "of the type of a collection with a scope is sent to all if it is about no row",
    on(async (stage) => {
      await stage.listen("bob");
      await stage.service.emit({ type: "note.created", data: { text: "free" } });
      await stage.settle();
      expect(stage.heard("bob")).toEqual(["note.created free"]);
    }),
  );

  test(
    "about a row that cannot be one of its collection, or with a misspelled member, is an error",
    on(async (stage) => {
      await stage.listen("ann", { events: ["report.*"] });
      const wrong: readonly (readonly [object, string])[] = [
        [{ ...event, off: { collection: "notes", row: { id: 1 } } }, `"of"`],
        [{ ...event, of: { collection: "notes", rows: {} } }, `"row"`],
        [{ ...event, of: { collection: "nots", row: { id: 1 } } }, "not a collection"],
        [{ ...event, of: { collection: "notes", row: { ownerId: "ann" } } }, "whole row"],
        [of({ due: "2026-01-01" }), "must be a Date"],
        [of({ size: 5 }), `"bigint"`],
      ];
      for (const [given, message] of wrong) {
        const emitting = stage.service.emit(given as typeof event);
        await expect(emitting).rejects.toThrow(message);
        await expect(emitting).rejects.toBeInstanceOf(ConfigurationError);
      }
      await stage.settle();
      expect(stage.receiver.received).toEqual([]);
    }),
  );
});
