import { belongsTo, defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { eventually } from "../../tools/eventually.js";
import { fullService } from "../../tools/fullService.js";

const places = defineResource("places", {
  schema: z.object({ id: z.string(), parent: z.string().optional() }),
  relations: { above: belongsTo("places", "parent") },
});

test.each(["continue", "stop"])("with onError=%s a row may name one that stands before it, in whichever chunk", async (onError) => {
  const service = fullService({ resources: [places], storage: memoryStorage(), blobs: memoryBlobs(), jobs: { pollMs: 20 } });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const rows = Array.from({ length: 2_500 }, (_, index) => `p${index},${index === 0 ? "" : `p${index - 1}`}`);
  const accepted = await send({
    method: "POST",
    target: `/imports?collection=places&onError=${onError}`,
    headers: { "content-type": "text/csv" },
    body: `id,parent\n${rows.join("\n")}\n`,
  });
  await eventually(async () => {
    const job = (await send({ target: String(accepted.headers["location"]) })).json;
    expect(job).toMatchObject({ status: "completed", result: { created: 2_500, failed: 0 } });
  });
});

test.each(["continue", "stop"])("with onError=%s a row that names nothing fails", async (onError) => {
  const service = fullService({ resources: [places], storage: memoryStorage() });
  onTestFinished(() => service.close());
  const sent = { method: "POST", target: `/places/import?onError=${onError}`, headers: { "content-type": "text/csv" }, body: "id,parent\na,b\nb,\n" };
  const answer = (await clientOf(service)(sent)).json;
  expect(answer.errors[0].code).toBe("UNKNOWN_REFERENCE");
});
