import type { Attributes } from "@opentelemetry/api";
import { plainAddress } from "../../ground/http/address/addressKey.js";
import { clientAddress } from "../../ground/http/address/clientAddress.js";
import type { HttpRequest, RawHeaders } from "../../ground/http/message.js";
import { redactQuery } from "./redact.js";

/** The methods that the conventions know; others are `_OTHER`, so that clients cannot make up values of metrics. */
const knownMethods: ReadonlySet<string> = new Set([...["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]]);

/** `GET`; `_OTHER` for an unknown method. */
export function methodOf({ method }: HttpRequest): string {
  return knownMethods.has(method) ? method : "_OTHER";
}

/** The name of the span of a request: `GET /v1/users/{id}`. */
export function nameOf(request: HttpRequest, route: string | undefined): string {
  const method = methodOf(request);
  const verb = method === "_OTHER" ? "HTTP" : method;
  return route === undefined ? verb : `${verb} ${route}`;
}

/** What attributes depend on, besides the request. */
export interface AttributeSettings {
  readonly trustedHops: number;
  /** The public address of the service, if the developer gave one. */
  readonly baseUrl: string | undefined;
  readonly secretParameters: ReadonlySet<string>;
}

/** `https` or `http`: by `baseUrl`, otherwise by the connection. */
export function schemeOf({ native }: HttpRequest, { baseUrl }: Pick<AttributeSettings, "baseUrl">): string {
  if (baseUrl !== undefined) return baseUrl.startsWith("https:") ? "https" : "http";
  if (native instanceof Request) return native.url.startsWith("https:") ? "https" : "http";
  return messageOf(native)?.socket?.encrypted === true ? "https" : "http";
}

/** The attributes of the span of a request. @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span */
export function requestAttributes(request: HttpRequest, route: string | undefined, settings: AttributeSettings): Attributes {
  const { method, mount, path, query, headers, address } = request;
  const known = methodOf(request);
  const client = clientAddress(headers, address, settings.trustedHops);
  const version = messageOf(request.native)?.httpVersion;
  const agent = headerOf(headers, "user-agent");
  return {
    "http.request.method": known,
    ...(known === "_OTHER" && { "http.request.method_original": method.slice(0, 64) }),
    ...(route !== undefined && { "http.route": route }),
    "url.path": `${mount}${path}`,
    ...(query !== "" && { "url.query": redactQuery(query, settings.secretParameters) }),
    "url.scheme": schemeOf(request, settings),
    ...serverAttributes(headerOf(headers, "host")),
    ...(agent !== undefined && { "user_agent.original": agent.slice(0, 512) }),
    ...(client !== undefined && { "client.address": plainAddress(client).slice(0, 64) }),
    ...(address !== undefined && { "network.peer.address": address }),
    ...(version !== undefined && { "network.protocol.version": version === "2.0" ? "2" : version }),
  };
}

function serverAttributes(host: string | undefined): Attributes {
  const [, address, port] = /^(\[[0-9a-fA-F:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host?.slice(0, 256) ?? "") ?? [];
  if (address === undefined) return {};
  return { "server.address": address.replace(/^\[|\]$/g, ""), ...(port !== undefined && { "server.port": Number(port) }) };
}

/** The first value of a header. */
function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) if (headers[index]?.toLowerCase() === name) return headers[index + 1];
  return undefined;
}

interface NodeMessage {
  readonly httpVersion?: string;
  readonly socket?: { readonly encrypted?: boolean };
}

/** The message of Node within the request object of a host; `undefined` for hosts without one. */
function messageOf(native: unknown): NodeMessage | undefined {
  if (typeof native !== "object" || native === null) return undefined;
  const { raw, req, env, httpVersion } = native as Record<string, unknown>;
  if (typeof httpVersion === "string") return native as NodeMessage;
  const within = raw ?? (env as { readonly incoming?: unknown } | undefined)?.incoming ?? req;
  return typeof within === "object" && within !== null && "httpVersion" in within ? (within as NodeMessage) : undefined;
}
