# SPDX-License-Identifier: Apache-2.0
"""Mutation operators: what each makes of a small module, and where it makes nothing."""

import pytest

from rvtrace.flow.faults.generate import apply, places
from rvtrace.flow.faults.operators import BY_NAME, OPERATORS, literals

HEAD = """module unit #(parameter int Width = 4) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic             x_i,
  output logic             y_o,
  output logic [Width-1:0] q_o
);
"""


def made(body: str, operator: str) -> set[str]:
    """What an operator makes of the body of a module."""
    text = HEAD + body + "\nendmodule\n"
    found = places(text, {"leaf": {"in_i": "input", "out_o": "output"}})
    mutants = [apply(text, parts) for place in found.get(operator, []) for parts in place]
    return {one.removeprefix(HEAD).removesuffix("\nendmodule\n") for one in mutants}


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        ("negated_condition", "assign y_o = x_i ? a_i[0] : b_i[0];", {"assign y_o = !(x_i) ? a_i[0] : b_i[0];"}),
        ("operator", "assign y_o = x_i && a_i[0];", {"assign y_o = (x_i || a_i[0]);"}),
        ("operator", "assign q_o = a_i + b_i;", {"assign q_o = (a_i - b_i);"}),
        ("comparison", "assign y_o = a_i == b_i;", {"assign y_o = (a_i != b_i);"}),
        ("comparison", "assign y_o = a_i < b_i;", {"assign y_o = (a_i <= b_i);", "assign y_o = (a_i >= b_i);"}),
        ("dropped_operand", "assign y_o = x_i || y;", {"assign y_o = (x_i);", "assign y_o = (y);"}),
        ("negated_operand", "assign y_o = x_i && !y;", {"assign y_o = !(x_i) && !y;"}),
        ("dropped_not", "assign y_o = !x_i;", {"assign y_o = (x_i);"}),
        ("dropped_term", "assign q_o = {x_i, a_i[2:0]};",
         {"assign q_o = {((x_i) & 1'b0), a_i[2:0]};", "assign q_o = {x_i, ((a_i[2:0]) & 1'b0)};"}),
        ("reduction", "assign y_o = |a_i;", {"assign y_o = (&a_i);", "assign y_o = &a_i;"}),
        ("constant_one", "assign y_o = a_i == 4'd15;", {"assign y_o = a_i == 4'd0;", "assign y_o = a_i == 4'd14;"}),
        ("moved_select", "assign q_o = {2'd0, a_i[1:0]};",
         {"assign q_o = {2'd0, a_i[(1)+1:(0)+1]};", "assign q_o = {2'd0, a_i[(1)-1:(0)-1]};"}),
        ("stuck_value", "assign q_o = a_i;", {"assign q_o = '0;"}),
        ("exchanged_signal", "assign q_o = a_i;", {"assign q_o = b_i;"}),
        ("loop_bound", "for (genvar k = 0; k < Width; k++) begin assign q_o[k] = x_i; end",
         {"for (genvar k = 0; k < (Width)-1; k++) begin assign q_o[k] = x_i; end",
          "for (genvar k = 1; k < Width; k++) begin assign q_o[k] = x_i; end"}),
        ("generate_condition", "if (Width == 4) begin assign y_o = x_i; end",
         {"if (!(Width == 4)) begin assign y_o = x_i; end"}),
        ("width", "logic [Width-1:0] kept;", {"logic [(Width-1)-1:0] kept;"}),
        ("declared_value", "localparam int Depth = 8;",
         {"localparam int Depth = 9;", "localparam int Depth = 7;"}),
        ("exchanged_constant", "localparam bit A = 0; localparam bit B = 1; assign y_o = B;",
         {"localparam bit A = 0; localparam bit B = 1; assign y_o = A;"}),
    ],
)  # fmt: skip
def test_what_it_makes(operator: str, body: str, expected: set[str]) -> None:
    found = made(body, operator)
    assert {one.replace("(&a_i)", "&a_i") for one in found} == {one.replace("(&a_i)", "&a_i") for one in expected}


CLOCKED = """  logic [Width-1:0] kept_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q <= '0;
    end else if (x_i) begin
      kept_q <= a_i;
    end
  end
"""


def test_a_register_loses_its_reset_and_its_enable() -> None:
    assert made(CLOCKED, "missing_reset") == {CLOCKED.replace("kept_q <= '0;", ";")}
    assert made(CLOCKED, "missing_hold") == {
        CLOCKED.replace(
            "else if (x_i) begin\n      kept_q <= a_i;\n    end", "else begin\n      kept_q <= a_i;\n    end"
        )
    }
    assert made(CLOCKED, "negated_condition") == {CLOCKED.replace("(x_i)", "(!(x_i))")}  # not that of the reset
    assert CLOCKED.replace("kept_q <= a_i;", ";") in made(CLOCKED, "missing_assignment")


def test_cases_are_exchanged_and_left_to_the_default() -> None:
    body = "always_comb case (a_i) 1: y_o = x_i; 2: y_o = 0; default: y_o = 1; endcase"
    assert made(body, "mux_arm") == {
        "always_comb case (a_i) 1: y_o = 0; 2: y_o = x_i; default: y_o = 1; endcase",
        "always_comb case (a_i)  2: y_o = 0; default: y_o = 1; endcase",
        "always_comb case (a_i) 1: y_o = x_i;  default: y_o = 1; endcase",
    }


@pytest.mark.parametrize(
    "body",
    [
        "logic unused; assign unused = x_i && a_i[0];",
        "initial begin assert (Width == 4 && x_i) else $error(\"no\"); end",
        "assert property (@(posedge clk_i) x_i && y_o |-> a_i == b_i);",
        "localparam int Bits = $clog2(Width == 4 ? 2 : 3);",
        "leaf u_leaf (.out_o (a_i[x_i && y_o]));",
    ],
)  # fmt: skip
def test_what_is_no_function_of_the_design_has_no_mutants(body: str) -> None:
    run_time = [one.name for one in OPERATORS if not one.built]
    assert {name: made(body, name) for name in run_time if made(body, name)} == {}


def test_ports_of_an_instance_are_changed_where_they_are_inputs() -> None:
    body = "leaf u_leaf (.in_i (x_i && a_i[0]), .out_o (y_o));"
    assert made(body, "operator") == {"leaf u_leaf (.in_i ((x_i || a_i[0])), .out_o (y_o));"}


def test_signals_are_exchanged_for_those_of_one_type_that_close_no_loop() -> None:
    body = "logic [Width-1:0] one, two, q; always_ff @(posedge clk_i) q <= a_i; assign one = a_i; assign two = b_i;"
    assert "assign one = q;" in "".join(made(body, "exchanged_signal"))
    assert "assign one = two;" not in "".join(made(body, "exchanged_signal"))  # two may depend on one


def test_constants_near_a_constant() -> None:
    assert literals("8'hFF") == [("one", "8'h0"), ("one", "8'hFE")] + [
        ("bit", f"8'h{0xFF ^ 1 << bit:X}") for bit in range(8)
    ]
    assert literals("0") == [("one", "1")] and literals("'0") == [("bit", "'1")] and literals("Width") == []


def test_every_operator_is_tried_somewhere() -> None:
    assert len(BY_NAME) == len(OPERATORS)
    assert all(one.kinds and one.what and one.name.islower() for one in OPERATORS)
