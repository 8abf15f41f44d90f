import express, { type Express, type Request } from "express";
import { idempotent } from "restwright/express";
import { memoryIdempotency } from "restwright/memory";
import type { Provider } from "./provider.js";

/** An app with one route, which charges a card once for all requests with the same Idempotency-Key. */
export function createApp(provider: Provider): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(express.json());

  const once = idempotent<Request>({
    store: memoryIdempotency(),
    required: true,
    // The user that your authentication has found: two users never share a key.
    principal: (request) => ({ id: request.get("X-User") ?? "demo" }),
  });

  app.post("/charges", once, async (request, response) => {
    const { amount } = request.body ?? {};
    if (typeof amount !== "number") {
      response.status(422).json({ error: "amount must be a number" });
      return;
    }
    // The operation id is the same in every attempt: if this process dies after the charge, the next attempt does not charge again.
    const charge = await provider.charge(amount, String(request.operationId));
    response.status(201).location(`/charges/${charge.id}`).json(charge);
  });
  return app;
}
