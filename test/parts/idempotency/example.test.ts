import { createServer } from "node:http";
import { expect, it } from "vitest";
import { createApp } from "../../../examples/idempotent/app.js";
import { Provider } from "../../../examples/idempotent/provider.js";
import { send } from "../../adapters/hosts/client.js";
import { listen } from "../../adapters/hosts/host.js";

it("the example charges a card once", async () => {
  const provider = new Provider();
  const running = await listen(createServer(createApp(provider)));
  const charge = (amount: unknown, key = "5a0c1fb2-0f55-4a4e-9f4e-1c8a2a3a4d5e") =>
    send(running.port, "/charges", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key === "" ? {} : { "Idempotency-Key": key }) },
      body: JSON.stringify({ amount }),
    });
  const refused = await charge("five");
  const first = await charge(5);
  const again = await charge(5);
  const other = await charge(6);
  const statuses = [refused, first, again, other, await charge(6, "another-key-of-16"), await charge(6, "short"), await charge(6, "")].map(
    ({ status }) => status,
  );
  await running.close();
  expect(statuses).toEqual([422, 201, 201, 422, 201, 400, 400]);
  expect(again.body.toString()).toBe('{"id":"ch_1","amount":5}');
  expect([again.headers["location"], again.headers["idempotent-replayed"], provider.charges.size]).toEqual(["/charges/ch_1", "true", 2]);
});
