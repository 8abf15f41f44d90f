import { type Capability, createService, type Service } from "restwright";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { type WebhookApi, webhooks } from "restwright/webhooks";
import { expectTypeOf, test } from "vitest";
import type { Receiver } from "../../capabilities/webhooks/emissionStage.js";

declare const transport: Receiver;
const core = { resources: [], storage: memoryStorage() };

test("the service has what its capabilities add to it", () => {
  expectTypeOf(createService({ ...core, use: [batch(), webhooks({ transport })] })).toHaveProperty("emit");
  expectTypeOf(createService({ ...core, use: [webhooks({ transport })] }).emit).toEqualTypeOf<WebhookApi["emit"]>();
  const mine = { name: "mine", open: () => ({ api: { count: () => 1 } }) } satisfies Capability<{ count: () => number }>;
  const service = createService({ ...core, use: [webhooks({ transport }), mine as Capability<{ count: () => number }>] });
  expectTypeOf(service.count).toEqualTypeOf<() => number>();
  expectTypeOf(service.emit).toBeFunction();
});

test("and nothing else", () => {
  expectTypeOf(createService(core)).not.toHaveProperty("emit");
  expectTypeOf(createService({ ...core, use: [batch()] })).not.toHaveProperty("emit");
  expectTypeOf(createService({ ...core, use: [batch()] })).toExtend<Service>();
  expectTypeOf(createService({ ...core, use: [] as readonly Capability[] })).not.toHaveProperty("emit");
});
