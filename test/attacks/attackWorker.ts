import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHandler } from "restwright/node";
import { attackedService } from "./attackedService.js";
import { holdMeter, mainThreadCpu } from "./holdMeter.js";

/** A server to be attacked, which measures its own event loop. Prints its port. */
const service = await attackedService(process.env);
await service.start();
const serve = nodeHandler(service);
const meter = holdMeter();

const server = createServer((request, response) => {
  const [, control] = /^\/-\/([^?]*)/.exec(request.url ?? "") ?? [];
  if (control === undefined) return serve(request, response);
  if (control === "start") meter.start();
  if (control === "hold") holdFor(Number(request.url?.split("?")[1]));
  response.end(JSON.stringify(control === "stop" ? meter.stop() : {}));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

/** Holds the event loop for so many milliseconds of the main thread's processor time. */
function holdFor(ms: number): void {
  const cpuMs = mainThreadCpu() ?? (() => performance.now());
  const from = cpuMs();
  while (cpuMs() - from < ms) {
    // Nothing else gets a turn.
  }
}
