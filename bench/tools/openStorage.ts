import type { Storage } from "restwright";
import type { ServerOptions } from "./serverOptions.js";

/** A store of restwright with the settings that users get; no other store is loaded. */
export async function openStorage({ store, location }: Pick<ServerOptions, "store" | "location">): Promise<Storage> {
  switch (store) {
    case "memory":
      return (await import("restwright/memory")).memoryStorage();
    case "sqlite":
      return (await import("restwright/sqlite")).sqliteStorage({ path: location });
    case "postgres":
      return (await import("restwright/postgres")).postgresStorage({ connectionString: location });
  }
}
