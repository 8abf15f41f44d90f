import { defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";

const events = defineResource("events", { schema: z.object({ id: z.int(), at: z.date() }), generated: { id: "increment" } });

test.each([
  [undefined, "2026-07-02T00:00:00.000Z"],
  ["Europe/Berlin", "2026-07-01T22:00:00.000Z"],
])("A date alone in a file is the first instant of its day (time zone: %s)", async (timeZone, expected) => {
  const lists = timeZone === undefined ? {} : { timeZone };
  const service = fullService({ resources: [events], storage: memoryStorage(), blobs: memoryBlobs(), lists });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const headers = { "content-type": "text/csv" };
  const imported = await send({ method: "POST", target: "/events/import", headers, body: "at\n2026-07-02\n" });
  expect([imported.status, imported.json]).toMatchObject([200, { result: { created: 1 } }]);
  expect((await send({ target: "/events" })).json).toMatchObject({ data: [{ at: expected }] });
});

test.each(["2026-07-02 10:00:00", "2026-07-02 10:00:00+00", "2026-07-02T10:00:00"])(
  "A cell %s, as databases write it, is refused with what is allowed",
  async (cell) => {
    const service = fullService({ resources: [events], storage: memoryStorage(), blobs: memoryBlobs() });
    onTestFinished(() => service.close());
    const headers = { "content-type": "text/csv" };
    const imported = await clientOf(service)({ method: "POST", target: "/events/import", headers, body: `at\n${cell}\n` });
    expect(imported.json).toMatchObject({
      result: { failed: 1 },
      errors: [{ errors: [{ detail: "Must be a date-time with T and Z or an offset, no finer than its field keeps it.", field: "at" }] }],
    });
  },
);
