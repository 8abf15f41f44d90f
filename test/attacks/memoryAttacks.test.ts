import { describeAttacks } from "./describeAttacks.js";

describeAttacks("memory");
