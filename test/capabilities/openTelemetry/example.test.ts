import { context, propagation, trace } from "@opentelemetry/api";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import { expect, onTestFinished, test } from "vitest";
import { createNotes, register } from "../../../examples/tracing/notes.js";
import { clientOf } from "../../tools/client.js";
import { eventually } from "../../tools/eventually.js";
import { linkedTo, spanNamed, treeOf } from "./stage.js";

test("examples/tracing has spans of requests, stores and jobs by the globals of the API", async () => {
  const exporter = new InMemorySpanExporter();
  register(exporter);
  const service = createNotes();
  onTestFinished(async () => {
    await service.close();
    context.disable();
    propagation.disable();
    trace.disable();
  });
  const send = clientOf(service);
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await send({ method: "POST", target: "/notes", body: { text: "a" }, headers: { traceparent } });
  expect(treeOf(exporter.getFinishedSpans())).toEqual(["SERVER POST /notes", "  INTERNAL insert notes"]);
  expect(spanNamed(exporter.getFinishedSpans(), "POST /notes").spanContext().traceId).toBe(traceparent.slice(3, 35));
  await send({ method: "POST", target: "/notes/batch", body: { items: [{ text: "b" }] }, headers: { prefer: "respond-async" } });
  await eventually(() => spanNamed(exporter.getFinishedSpans(), "process batch"));
  const [work, cause] = ["process batch", "POST /notes/batch"].map((name) => spanNamed(exporter.getFinishedSpans(), name));
  if (work === undefined || cause === undefined) throw new Error("A span is missing.");
  expect(linkedTo(work, cause.spanContext())).toBe(true);
});
