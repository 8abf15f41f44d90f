import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const schema = z.object({ orderId: z.int(), line: z.string(), title: z.string() });
const lines = defineResource("lines", { schema, id: ["orderId", "line"] });
const service = createService({ resources: [lines], storage: memoryStorage() });
const calls = service.as({ id: "ann" }).lines;

test("a composite id is a tuple of its parts", () => {
  expectTypeOf(calls.get).parameter(0).toEqualTypeOf<readonly [number, string]>();
  expectTypeOf(calls.remove).parameter(0).toEqualTypeOf<readonly [number, string]>();
  // @ts-expect-error the parts are in the order of the id
  void (() => calls.get(["a", 7]));
  // @ts-expect-error a part is missing
  void (() => calls.update([7], { title: "t" }));
  // @ts-expect-error there is no third part
  void (() => calls.replace([7, "a", 1], { title: "t" }));
  // @ts-expect-error the text of the id is for paths
  void (() => calls.remove("7,a"));
});

test("its parts are fields of the schema", () => {
  // @ts-expect-error there is no such field
  void (() => defineResource("lines", { schema, id: ["orderId", "number"] }));
  void (() => calls.create({ orderId: 7, line: "a", title: "t" }));
  // @ts-expect-error clients choose both parts
  void (() => calls.create({ orderId: 7, title: "t" }));
});
