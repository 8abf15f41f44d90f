import type { Storage } from "restwright";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { heardBy, Receiver, register, secrets } from "../../webhooks/emissionStage.js";
import type { ImportSide } from "./importStage.js";

/** Options of a service whose deliveries stay in the store. */
export const heard: Partial<FullServiceOptions> = { webhooks: { transport: new Receiver(), work: false }, secrets };

/** E-mail addresses of the people that a tenant is told of from now on; those of changes with a mark. */
export async function hear(side: ImportSide, storage: Storage): Promise<() => Promise<readonly string[]>> {
  const webhook = await register({ send: (sent) => side.send(sent, "admin") });
  return async () => {
    const events = (await heardBy(storage, webhook)).filter(({ type }) => type.startsWith("person."));
    return events.map(({ type, data }) => `${type === "person.updated" ? "changed " : ""}${String(data["email"])}`).sort();
  };
}
