import { createService } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { undiciTransport } from "restwright/undici";
import { webhooks } from "restwright/webhooks";
import { collections } from "./clientShop.js";

/** The service of the type tests of the client. */
export function openTypesService() {
  return createService({
    resources: collections,
    storage: memoryStorage(),
    logger: false,
    secrets: ["a secret of some length"],
    use: [actions(), webhooks({ transport: undiciTransport() }), openapi({ info: { title: "Types", version: "1.0.0" } })],
  });
}

/** The same for `restwright client`, which closes it. */
export const service = openTypesService();
