import type { IncomingMessage, ServerResponse } from "node:http";
import type { Identifying, Principal } from "../src/engine/service/identified.js";
import type { Handle, HttpRequest } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { callable, optionsCheck, strict } from "../src/ground/options/index.js";
import { mountSchema, targetBelowPrefix } from "./hosts/mountedTarget.js";
import { nodeAnswer } from "./hosts/nodeAnswer.js";
import { type NodeExchange, nodeRequest } from "./hosts/nodeMessage.js";
import { sendResponse } from "./hosts/nodeResponse.js";
import { internalError, notFound } from "./hosts/notFound.js";

export interface NodeOptions {
  /** Prefix of every path, e.g. `/v1`; paths outside it get a 404. */
  readonly mount?: string | undefined;
  /** Called with an error that the service did not handle itself; the client gets a 500 problem. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const check = /* @__PURE__ */ optionsCheck("nodeHandler", () => strict<NodeOptions>({ mount: mountSchema(), onError: callable() }));

/**
 * A request listener for node:http.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * createServer(nodeHandler(service, { mount: "/v1" })).listen(3000);
 */
export function nodeHandler(
  service: { readonly handle: Handle },
  options: NodeOptions = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  check(options);
  const { mount = "", onError } = options;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const target = incoming.url ?? "/";
    const mounted = targetBelowPrefix(target, mount);
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, mounted ?? { ...splitTarget(target), mount: "" });
    try {
      const response = (mounted && (await service.handle(request))) ?? notFound(request);
      await sendResponse(outgoing, await nodeAnswer(exchange, request, response));
    } catch (error) {
      await sendFailure(exchange, request);
      onError?.(error);
    }
  };
  return (incoming, outgoing) => void answer(incoming, outgoing);
}

async function sendFailure(exchange: NodeExchange, request: HttpRequest): Promise<void> {
  const { outgoing } = exchange;
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  for (const name of outgoing.getHeaderNames()) {
    outgoing.removeHeader(name);
  }
  await sendResponse(outgoing, await nodeAnswer(exchange, request, internalError(request)));
}

/**
 * Finds out who sends a request to a listener of your own. A request without valid credentials is answered as the service does.
 *
 * @returns a function that resolves to the principal, or to `undefined` if it has answered
 * @example
 * const principal = await requirePrincipal(service)(incoming, outgoing);
 * if (principal === undefined) return;
 */
export function requirePrincipal(service: Identifying): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<Principal | undefined> {
  return async (incoming, outgoing) => {
    const exchange = { incoming, outgoing, native: incoming };
    const request = nodeRequest(exchange, { ...splitTarget(incoming.url ?? "/"), mount: "" });
    const { principal, answer } = await service.identify(request);
    if (answer !== undefined) await sendResponse(outgoing, await nodeAnswer(exchange, request, answer));
    return principal;
  };
}
