import express, { type Express, type Request } from "express";
import { idempotent } from "restwright/express";
import { memoryIdempotency } from "restwright/memory";
import type { Provider } from "./provider.js";

/** One route that charges a card, once for all requests with one Idempotency-Key. */
export function createApp(provider: Provider): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(express.json());

  const once = idempotent<Request>({
    store: memoryIdempotency(),
    required: true,
    // Whoever your authentication has found: keys of two users never meet.
    principal: (request) => ({ id: request.get("X-User") ?? "demo" }),
  });

  app.post("/charges", once, async (request, response) => {
    const { amount } = request.body ?? {};
    if (typeof amount !== "number") {
      response.status(422).json({ error: "amount must be a number" });
      return;
    }
    // The same in every try: should this process die after the charge, the next try charges nothing.
    const charge = await provider.charge(amount, String(request.operationId));
    response.status(201).location(`/charges/${charge.id}`).json(charge);
  });
  return app;
}
