import type { Context, Span, TextMapGetter } from "@opentelemetry/api";
import type { Host } from "../../engine/capability/host.js";
import { endingBody, isStream } from "../../ground/http/endingBody.js";
import type { Handle, HttpRequest, HttpResponse, RawHeaders } from "../../ground/http/message.js";
import { context, createContextKey, isSpanContextValid, SpanKind, trace, whenLoaded } from "./api.js";
import type { Meters } from "./meters.js";
import { errorType, Recording } from "./recording.js";
import { type AttributeSettings, methodOf, nameOf, requestAttributes, schemeOf } from "./requestAttributes.js";
import { quietly, type Telemetry } from "./telemetry.js";

/** What observing requests needs. */
export interface HandleParts {
  readonly telemetry: Telemetry;
  readonly meters: Meters;
  readonly find: Host["find"];
  readonly settings: AttributeSettings;
}

/**
 * Answers requests within spans. A path that the service does not serve has no span: it is the host's.
 *
 * If the host has a span already, such as one of `@opentelemetry/instrumentation-http`, that is the server span: it learns the route, and the service's own span is an
 * internal one below it.
 */
export function observedHandle(handle: Handle, parts: HandleParts): Handle {
  const observe: Handle = async (request) => {
    const route = routeOf(request, parts);
    if (route === undefined) return observeUnmatched(handle, request, parts);
    const observed = beginRequest(request, route, parts);
    const active = { "http.request.method": methodOf(request), "url.scheme": schemeOf(request, parts.settings) };
    const countsActive = observed.hostSpan === undefined;
    if (countsActive) quietly(() => parts.meters.active.add(1, active));
    const end = (status: number | undefined, error?: unknown) => {
      if (countsActive) quietly(() => parts.meters.active.add(-1, active));
      observed.end(status, error);
    };
    let response: HttpResponse | undefined;
    try {
      response = await observed.recording.run(() => handle(request));
    } catch (error) {
      end(undefined, error);
      throw error;
    }
    return endingWith(response, observed.recording.context, end);
  };
  return (request) =>
    whenLoaded(
      () => observe(request),
      () => handle(request),
    );
}

/** The template of the request's path, with the mount. */
function routeOf({ method, path, mount }: HttpRequest, { find }: HandleParts): string | undefined {
  const found = find(method, path);
  return found && `${mount}${found.endpoint.route}`;
}

/** The service answers unknown paths only if it is asked to: the span is made when it has. */
async function observeUnmatched(handle: Handle, request: HttpRequest, parts: HandleParts): Promise<HttpResponse | undefined> {
  const startTime = Date.now();
  const begun = performance.now();
  const response = await handle(request);
  if (response === undefined) return undefined;
  const { recording, end } = beginRequest(request, undefined, parts, { startTime, begun });
  return endingWith(response, recording.context, end);
}

/** Calls `end` when the body has been sent, or at once if the response has no stream. */
function endingWith(
  response: HttpResponse | undefined,
  within: Context,
  end: (status: number | undefined, error?: unknown) => void,
): HttpResponse | undefined {
  if (!isStream(response?.body)) {
    end(response?.status);
    return response;
  }
  const { status, body } = response;
  return { ...response, body: endingBody(inContext(body, within), (error) => end(status, error)) };
}

/** Produces a body in the context of its span, because hosts read it in their own. */
function inContext(body: AsyncIterable<string | Uint8Array>, within: Context): AsyncIterable<string | Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]();
      return {
        next: () => context.with(within, () => source.next()),
        async return() {
          await context.with(within, () => source.return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** A request whose span has begun. */
interface ObservedRequest {
  readonly recording: Recording;
  /** The span that the host made for it. */
  readonly hostSpan: HttpMetadata | undefined;
  readonly end: (status: number | undefined, error?: unknown) => void;
}

/** When a request began: milliseconds since the epoch, and on the monotonic clock. */
interface Beginning {
  readonly startTime: number;
  readonly begun: number;
}

function beginRequest(
  request: HttpRequest,
  route: string | undefined,
  { telemetry, meters, settings }: HandleParts,
  at?: Beginning,
): ObservedRequest {
  const active = context.active();
  const hostSpan = httpMetadata(active);
  const isNested = hasSpan(active);
  const begun = at?.begun ?? performance.now();
  const recording = new Recording(telemetry, {
    name: nameOf(request, route),
    kind: isNested ? SpanKind.INTERNAL : SpanKind.SERVER,
    parent: isNested ? active : (quietly(() => telemetry.propagator.extract(active, request.headers, headerGetter)) ?? active),
    attributes: requestAttributes(request, route, settings),
    isOrigin: true,
    ...(at !== undefined && { startTime: at.startTime }),
  });
  if (hostSpan !== undefined && route !== undefined) {
    hostSpan.route = route;
    quietly(() => hostSpan.span?.setAttribute("http.route", route));
  }
  const end = (status: number | undefined, error?: unknown) => {
    if (status !== undefined) recording.set({ "http.response.status_code": status });
    const failure = failureOf(status, error);
    if (failure !== undefined) recording.fail(failure, error);
    recording.end();
    // The instrumentation of the host measures the request itself.
    if (hostSpan !== undefined) return;
    const attributes = {
      "http.request.method": methodOf(request),
      "url.scheme": schemeOf(request, settings),
      ...(route !== undefined && { "http.route": route }),
      ...(status !== undefined && { "http.response.status_code": status }),
      ...(failure !== undefined && { "error.type": failure }),
    };
    quietly(() => meters.requests.record((performance.now() - begun) / 1_000, attributes, recording.context));
  };
  return { recording, hostSpan, end };
}

/** The type of an error of the service; `undefined` for answers below 500. The status of a body that failed later was sent already. */
function failureOf(status: number | undefined, error: unknown): string | undefined {
  if (error !== undefined) return errorType(error);
  return status !== undefined && status >= 500 ? String(status) : undefined;
}

function hasSpan(active: Context): boolean {
  const span = trace.getSpan(active);
  return span !== undefined && isSpanContextValid(span.spanContext());
}

/** What an instrumentation of HTTP servers keeps in the context: it takes the route from there. */
interface HttpMetadata {
  readonly type: "http";
  readonly span?: Span;
  route?: string;
}

const metadataKey = () => createContextKey("OpenTelemetry SDK Context Key RPC_METADATA");

function httpMetadata(active: Context): HttpMetadata | undefined {
  const metadata = active.getValue(metadataKey()) as HttpMetadata | undefined;
  return metadata?.type === "http" ? metadata : undefined;
}

const headerGetter: TextMapGetter<RawHeaders> = {
  keys: (headers) => headers.filter((_, index) => index % 2 === 0),
  get(headers, name) {
    const wanted = name.toLowerCase();
    const values = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === wanted);
    if (values.length > 1) return wanted === "traceparent" ? undefined : values.join(",");
    return values[0];
  },
};
