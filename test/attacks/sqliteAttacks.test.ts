import { describeAttacks } from "./describeAttacks.js";

describeAttacks("SQLite");
