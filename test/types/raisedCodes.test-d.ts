import { defineResource, type Resource, type Service, type TableOptions } from "restwright";
import type { ErrorCodeOf } from "restwright/client";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

test("errors have the codes that a table declares", () => {
  type Declared<R extends Resource> = ErrorCodeOf<Service<readonly [R]>> & `${string}_STATE`;
  const table = { name: "docks", managed: false, version: "hash", tenant: "shared" } as const;
  const docks = defineResource("docks", {
    schema: z.object({ id: z.int() }),
    table: { ...table, raised: { "45001": { status: 409, code: "DOCK_STATE" }, "45002": { status: 422, code: "CRANE_STATE" } } },
  });
  expectTypeOf<Declared<typeof docks>>().toEqualTypeOf<"DOCK_STATE" | "CRANE_STATE">();
  const others = defineResource("others", { schema: z.object({ id: z.int() }), table: table as TableOptions });
  expectTypeOf<Declared<typeof others>>().toEqualTypeOf<never>();
});
