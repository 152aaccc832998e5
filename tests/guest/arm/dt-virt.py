#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# dt-virt.py - give QEMU's virt machine the clocks and sensors of a board
"""Usage: dt-virt.py BOARD IN.dtb OUT.dtb

IN.dtb is what QEMU dumps. Each cluster gets operating points and a real clock for
cpufreq-dt: fixed clocks behind multiplexers that a GPIO switches, so that the rate follows
and can be read back. A board with a liar's clock gets a fixed one instead: it accepts every
rate and stays. Each thermal zone gets a bcm2711 sensor whose register is a page of reserved
memory: who writes there (devmem) sets the temperature, 410040 - 487 * RAW millidegrees.
"""
import re
import subprocess
import sys

SENSORS = 0x7f000000

# cluster: operating points in MHz, relative capacity; CPUs up to `last`
BOARDS = {
    'virt3': {
        'clusters': [{'mhz': (600, 800, 1000, 1400), 'capacity': 1024, 'last': 3}],
        'zones': [{'type': 'cpu-thermal', 'passive': (75000,), 'critical': 90000,
                   'polling': (250, 1000), 'cools': True}],
    },
    'virt3-liar': {
        'clusters': [{'mhz': (600, 800, 1000, 1400), 'capacity': 1024, 'last': 3,
                      'liar': 1000}],
        'zones': [{'type': 'cpu-thermal', 'passive': (75000,), 'critical': 90000,
                   'polling': (250, 1000), 'cools': True}],
    },
    'r4s': {
        'model': 'FriendlyElec NanoPi R4S',
        'compatible': ('friendlyarm,nanopi-r4s', 'rockchip,rk3399'),
        'clusters': [{'mhz': (408, 816, 1008, 1416), 'capacity': 485, 'last': 3},
                     {'mhz': (408, 816, 1200, 1800), 'capacity': 1024, 'last': 5}],
        'zones': [{'type': 'cpu-thermal', 'passive': (70000, 75000), 'critical': 95000,
                   'polling': (100, 1000), 'cools': True},
                  {'type': 'gpu-thermal', 'passive': (75000,), 'critical': 95000,
                   'polling': (100, 1000), 'cools': False}],
    },
}


class Tree:
    """A device tree as source text, with handles of our own for what is added."""

    def __init__(self, path):
        self.text = subprocess.run(['dtc', '-q', '-I', 'dtb', '-O', 'dts', path],
                                   capture_output=True, text=True, check=True).stdout
        self.handle = 0xf000
        self.gpio = re.search(r'pl061@[0-9a-f]+ \{.*?phandle = <(0x[0-9a-f]+)>',
                              self.text, re.S).group(1)
        self.pin = 0

    def new_handle(self):
        """A phandle that nobody else has."""
        self.handle += 1
        return f'0x{self.handle:x}'

    def append(self, nodes):
        """Add nodes to the root."""
        end = self.text.rindex('};')
        self.text = self.text[:end] + nodes + '};\n'

    def write(self, path):
        """Compile."""
        subprocess.run(['dtc', '-q', '-I', 'dts', '-O', 'dtb', '-o', path],
                       input=self.text, text=True, check=True)


def fixed_clock(tree, mhz):
    """A clock that has one rate; returns its handle."""
    handle = tree.new_handle()
    tree.append(f'''	clock-{handle} {{ compatible = "fixed-clock"; #clock-cells = <0>;
		clock-frequency = <{mhz}000000>; phandle = <{handle}>; }};
''')
    return handle


def switched_clock(tree, handles):
    """A clock that has the rate of one of several: a chain of two-way switches."""
    if len(handles) == 1:
        return handles[0]
    rest = switched_clock(tree, handles[1:])
    handle = tree.new_handle()
    tree.append(f'''	mux-{handle} {{ compatible = "gpio-mux-clock"; #clock-cells = <0>;
		clocks = <{handles[0]} {rest}>; select-gpios = <{tree.gpio} {tree.pin} 0>;
		phandle = <{handle}>; }};
''')
    tree.pin += 1
    return handle


def add_cluster(tree, cluster):
    """Clock and operating points; notes their handles in the cluster."""
    if 'liar' in cluster:
        cluster['clock'] = fixed_clock(tree, cluster['liar'])
    else:
        cluster['clock'] = switched_clock(
            tree, [fixed_clock(tree, mhz) for mhz in cluster['mhz']])
    cluster['points'] = tree.new_handle()
    points = ''.join(f'''		opp-{mhz} {{ opp-hz = /bits/ 64 <{mhz}000000>;
			clock-latency-ns = <300000>; }};
''' for mhz in cluster['mhz'])
    tree.append(f'''	opp-table-{cluster['points']} {{
		compatible = "operating-points-v2"; opp-shared; phandle = <{cluster['points']}>;
{points}	}};
''')


def join_cpus(tree, clusters):
    """Tell each CPU its cluster's clock and points. Returns the CPUs' handles."""
    handles = []

    def edit(match):
        number = int(match.group(1), 16)
        body = match.group(2)
        cluster = next(c for c in clusters if number <= c['last'])
        own = re.search(r'phandle = <(0x[0-9a-f]+)>', body)
        handles.append(own.group(1) if own else tree.new_handle())
        extra = '' if own else f'phandle = <{handles[-1]}>;'
        return f'''
		cpu@{match.group(1)} {{{body}
			clocks = <{cluster['clock']}>; operating-points-v2 = <{cluster['points']}>;
			capacity-dmips-mhz = <{cluster['capacity']}>; #cooling-cells = <2>; {extra}
		}};'''

    tree.text = re.sub(r'\n\t\tcpu@([0-9a-f]+) \{(.*?)\n\t\t\};', edit, tree.text,
                       flags=re.S)
    return handles


def zone_text(tree, zone, sensor, cpus):
    """One thermal zone, cooled from its highest passive trip on."""
    trips, hot = '', ''
    for number, temperature in enumerate(zone['passive']):
        hot = tree.new_handle()
        trips += f'''			passive{number} {{ temperature = <{temperature}>;
				hysteresis = <2000>; type = "passive"; phandle = <{hot}>; }};
'''
    trips += f'''			critical {{ temperature = <{zone['critical']}>; hysteresis = <0>;
				type = "critical"; }};
'''
    maps = ''
    if zone['cools']:
        devices = ' '.join(f'{cpu} 0xffffffff 0xffffffff' for cpu in cpus)
        maps = f'''		cooling-maps {{ map0 {{ trip = <{hot}>;
			cooling-device = <{devices}>; }}; }};
'''
    passive, idle = zone['polling']
    return f'''		{zone['type']} {{ polling-delay-passive = <{passive}>;
		polling-delay = <{idle}>; coefficients = <(-487) 410040>;
		thermal-sensors = <{sensor}>;
		trips {{
{trips}		}};
{maps}	}};
'''


def add_zones(tree, zones, cpus):
    """Sensors in a reserved piece of memory, and the zones that read them."""
    text = f'''	reserved-memory {{ #address-cells = <2>; #size-cells = <2>; ranges;
		sensors@{SENSORS:x} {{ reg = <0 0x{SENSORS:x} 0 0x10000>; no-map; }}; }};
'''
    inner = ''
    for number, zone in enumerate(zones):
        address, sensor = SENSORS + 0x1000 * number, tree.new_handle()
        text += f'''	avs-monitor@{address:x} {{
		compatible = "brcm,bcm2711-avs-monitor", "syscon", "simple-mfd";
		reg = <0 0x{address:x} 0 0x1000>;
		thermal {{ compatible = "brcm,bcm2711-thermal"; #thermal-sensor-cells = <0>;
			phandle = <{sensor}>; }}; }};
'''
        inner += zone_text(tree, zone, sensor, cpus)
    tree.append(text + '\tthermal-zones {\n' + inner + '\t};\n')


def rename(tree, board):
    """The board's own model and compatible strings."""
    if 'model' not in board:
        return
    names = ', '.join(f'"{name}"' for name in board['compatible'])
    text = re.sub(r'^\tmodel = .*\n', '', tree.text, flags=re.M)
    tree.text = re.sub(r'^\tcompatible = "linux,dummy-virt";',
                       f'\tmodel = "{board["model"]}";\n\tcompatible = {names};', text,
                       count=1, flags=re.M)


def main():
    """Read, add, write."""
    board = BOARDS[sys.argv[1]]
    tree = Tree(sys.argv[2])
    for cluster in board['clusters']:
        add_cluster(tree, cluster)
    add_zones(tree, board['zones'], join_cpus(tree, board['clusters']))
    rename(tree, board)
    tree.write(sys.argv[3])


if __name__ == '__main__':
    main()
