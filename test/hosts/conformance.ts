import { describe } from "vitest";
import { badInputChecks } from "./checks/badInput.js";
import { bodyChecks } from "./checks/bodies.js";
import { cachingChecks } from "./checks/caching.js";
import { callerChecks } from "./checks/callers.js";
import { compressionChecks } from "./checks/compression.js";
import { connectionChecks } from "./checks/connections.js";
import { crossOriginChecks } from "./checks/crossOrigin.js";
import { disconnectChecks } from "./checks/disconnects.js";
import { eventChecks } from "./checks/events.js";
import { exportChecks } from "./checks/exports.js";
import { failureChecks } from "./checks/failures.js";
import { formatChecks } from "./checks/formats.js";
import { languageChecks } from "./checks/languages.js";
import { mountChecks } from "./checks/mounts.js";
import { naughtyChecks } from "./checks/naughty.js";
import { openTelemetryChecks } from "./checks/openTelemetry.js";
import { requestChecks } from "./checks/requests.js";
import { responseChecks } from "./checks/responses.js";
import { schemeChecks } from "./checks/schemes.js";
import { serviceChecks } from "./checks/service.js";
import { signatureChecks } from "./checks/signatures.js";
import { slowBodyChecks } from "./checks/slowBodies.js";
import { streamChecks } from "./checks/streams.js";
import { uploadChecks } from "./checks/uploads.js";
import { versionChecks } from "./checks/versions.js";
import type { Host } from "./host.js";

/** The same checks for every host, over real sockets: what a request is to the core, and what a response is to the client. */
export function hostConformance(host: Host): void {
  describe(host.name, () => {
    describe("requests", () => requestChecks(host));
    describe("mounts", () => mountChecks(host));
    describe("request bodies", () => bodyChecks(host));
    describe("slow bodies", () => slowBodyChecks(host));
    describe("responses", () => responseChecks(host));
    describe("response streams", () => streamChecks(host));
    describe("connections", () => connectionChecks(host));
    describe("disconnects", () => disconnectChecks(host));
    describe("pages of other origins", () => crossOriginChecks(host));
    describe("languages", () => languageChecks(host));
    describe("caching", () => cachingChecks(host));
    describe("compression", () => compressionChecks(host));
    describe("traces", () => openTelemetryChecks(host));
    describe("callers", () => callerChecks(host));
    describe("authentication", () => schemeChecks(host));
    describe("failures", () => failureChecks(host));
    describe("the real service", () => serviceChecks(host));
    describe("events of a job", () => eventChecks(host));
    describe("formats", () => formatChecks(host));
    describe("exports", () => exportChecks(host));
    describe("versions", () => versionChecks(host));
    describe("files", () => uploadChecks(host));
    describe("signatures", () => signatureChecks(host));
    describe("bad input", () => badInputChecks(host));
    describe("naughty strings", () => naughtyChecks(host));
  });
}
